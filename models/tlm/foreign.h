#pragma once

#include "models/tlm/txn_pool.h"

namespace strata {

class Block;

/// A Txn of ours for a payload that a foreign module made; null, with the error status set in the payload,
/// when the request cannot be modelled.
Txn* wrap_foreign(tlm::tlm_generic_payload& payload, TxnPool& pool, Cycle ledger_now);

/// End of a wrapped request: its data moves now through `block`'s debug path, and the wrapper is released,
/// since nobody inside may touch it after its response.
void unwrap_foreign(Txn& txn, Block& block, int port);

}  // namespace strata
