#pragma once

#include <memory>
#include <vector>

#include "models/tlm/txn_pool.h"

namespace strata {

class Block;

/// A run of bytes of an external payload that lies in one line.
struct ExternalPart {
  Address address = 0;
  unsigned offset = 0;  ///< in the payload's data
  unsigned bytes = 0;
  std::uint8_t sectors = 0;  ///< those with a byte that is enabled
};

/// A payload that an external module made, and the line accesses that stand for it inside.
struct ExternalRequest {
  tlm::tlm_generic_payload* payload = nullptr;
  std::vector<ExternalPart> parts;
  std::size_t sent = 0;          ///< of the parts
  int open = 0;                  ///< of those: not answered
  Cycle latest = 0;              ///< answers that came at once: the last of them
  bool blocking = false;         ///< a b_transport call waits for it
  std::vector<Txn*> answered;    ///< of a blocking one: released when the call goes on
  sc_core::sc_event last_reply;  ///< of a blocking one

  bool complete() const { return open == 0 && sent == parts.size(); }
};

/// The external payloads that are under way at one target port. Bursts are split at lines, streaming goes
/// over the same bytes again and again, and bytes that are not enabled are neither asked for nor moved.
///
/// Where payloads carry bytes, the line accesses bring those of a write and come back with those of a read.
class ExternalRequests {
 public:
  explicit ExternalRequests(bool carries_data = false) : carries_data_(carries_data) {}
  /// Null, with the status set in the payload, when there is nothing to do or the request cannot be modelled.
  ExternalRequest* begin(tlm::tlm_generic_payload& payload);
  /// A line access for the next part.
  Txn& next(ExternalRequest& request, Cycle ledger_now);
  ExternalRequest& of(const Txn& txn);
  /// A part has been answered: the access is released, since no block may touch it after its response.
  void end_part(ExternalRequest& request, Txn& txn);
  /// All of them have: unless they carried it, the data moves now through `block`'s debug path, in the order
  /// of the payload, and the payload has its status.
  void end(ExternalRequest& request, Block& block, int port);

  int under_way() const { return static_cast<int>(active_.size()); }
  std::uint64_t ended() const { return ended_; }
  const sc_core::sc_time& last_end() const { return last_end_; }

  // Of blocking calls.
  int limit = 1;        ///< calls under way at the same time
  int calls = 0;        ///< that are
  Cycle link_busy = 0;  ///< until this cycle the link is taken
  sc_core::sc_event link_free;
  sc_core::sc_event call_over;

 private:
  const bool carries_data_;
  TxnPool pool_;
  std::vector<std::unique_ptr<ExternalRequest>> active_, spare_;
  std::uint64_t ended_ = 0;
  sc_core::sc_time last_end_;
};

}  // namespace strata
