#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "models/common/held_bytes.h"
#include "models/llc_slice/llc_slice_core.h"
#include "models/tlm/payload_bytes.h"
#include "models/tlm/ports.h"

namespace strata {

/// Whether a payload's byte enables name its byte `byte`.
bool is_enabled(const tlm::tlm_generic_payload& payload, unsigned byte);

/// The bytes of an LLC slice: what its lines, its MSHRs and its writes on their way to memory hold.
///
/// Accesses to a byte take effect in the order in which the tags decide. Bytes that are here are read and
/// written at once. Where a fill must bring them first, loads and atomics, and whatever follows them, wait
/// for it in that order; a store in front of which no access waits needs no fill. A line that stores have
/// brought in part is completed from memory when somebody asks for the rest: the tags take its sectors as
/// whole.
class SliceData {
 public:
  SliceData(const LlcSliceCore& core, InitiatorPort& memory) : core_(core), memory_(memory) {}

  /// Before a decision about `line`: what was here of a line that the tags have let go, is not any more.
  void expect(Address line);
  /// The tags have decided. `answered`: the access waits for no fill.
  void decided(Txn& txn, bool answered);
  /// A fetch has come; `waiters` leave with it.
  void filled(Txn& line, const AccessFifo& waiters);
  /// A write takes what is newer here than in memory of its sectors.
  void leaves(Txn& write);
  void acknowledged(Txn& write);
  /// transport_dbg: what an access would find.
  unsigned debug(tlm::tlm_generic_payload& payload);

 private:
  /// Part of an access that waits for bytes.
  struct Waiting {
    Txn* txn;
    unsigned char* bytes;  // of the sector, in its payload
    ByteMask which;
  };

  bool is_live(Address line) const;
  ByteMask awaited(Address sector) const;
  void perform(const Txn& txn, HeldBytes& held, unsigned char* bytes, ByteMask which);
  void arrive(Address sector, const unsigned char* bytes);
  void complete(Address sector);
  unsigned read_memory(Address address, unsigned char* to, unsigned bytes);
  unsigned read(tlm::tlm_generic_payload& payload);
  unsigned write(tlm::tlm_generic_payload& payload);

  const LlcSliceCore& core_;
  InitiatorPort& memory_;
  HeldSectors held_;
  std::unordered_map<Address, std::vector<Waiting>> waiting_;  // by sector; looked up only
  std::vector<Txn*> writes_;  // not acknowledged: memory may or may not have them; oldest first
};

}  // namespace strata
