#pragma once

#include <deque>
#include <vector>

#include "models/memory_controller/command_payload.h"
#include "models/memory_controller/dram_address.h"
#include "models/memory_controller/memory_controller_core.h"
#include "models/tlm/lt_ports.h"
#include "models/tlm/module_kind.h"
#include "models/tlm/time_heap.h"
#include "models/tlm/wait_history.h"

namespace strata {

/// A memory controller behind b_transport: the core of MemoryController, FR-FCFS over its queues.
///
/// Requests enter the core in the cycle in which they come, whenever they were announced, and the core runs
/// in simulated time. A caller that posts is answered when the data is known, as by MemoryController. A
/// caller that cannot wait gets a promise: what the request would take alone in the present state of its
/// bank, and what requests waited lately that came when as many others were under way.
///
/// A read is accepted when the read queue has a place; a write likewise, and it is acknowledged a cycle
/// later.
class MemoryControllerLt final : public LtBlock {
 public:
  MemoryControllerLt(sc_core::sc_module_name name, const MemoryControllerParams& params,
                     const BuildContext& context);

  LtAnswer transport(Txn& txn, int port, Cycle at) override;
  LtAnswer post(Txn& txn, int port, Cycle at) override;
  void advance(Cycle now, int unit) override;
  unsigned debug(tlm::tlm_generic_payload& payload, int port) override;
  const StatSet& stats() const override { return core_.stats(); }
  void reset_stats() override;
  void settle(Cycle now) override { catch_up(now); }
  Faults check_idle() const override;
  std::vector<WaitNote> waits() const override;

  LtTargetPort& slice(int index) { return slice_ports_[static_cast<std::size_t>(index)]; }
  LtInitiatorPort& channel() { return channel_; }

 private:
  /// A request from its announcement to its end.
  struct Open {
    DramRequest request;
    Txn* posted;            // whom to answer; null: it was promised
    Cycle at;               // it comes
    Cycle expected;         // end, without waits for others
    std::uint32_t load;     // reads under way when it was announced
    std::uint32_t waiting;  // requests of its direction that waited for room then
    int slice;
    std::uint16_t index;  // its own
  };

  std::uint16_t open(Txn& txn, int slice, Cycle at);
  void close(std::uint16_t index);
  Open& of(std::uint16_t index) { return open_[index]; }
  bool arrive(std::uint16_t index, Cycle at);
  bool has_room(const DramRequest& request) const {
    return request.atomic ? core_.has_room_for_atomic() : core_.has_room(request.write);
  }
  Cycle admit(std::uint16_t index, Cycle at);
  void admit_waiting(Cycle now);
  std::size_t next_waiting(std::size_t direction) const;
  bool admit_first(std::size_t direction, Cycle now);
  void catch_up(Cycle now);
  void send(const IssuedCommand& issued, Cycle now);
  void finish(std::uint16_t index, Cycle end);
  LtAnswer promise(Access& access, std::uint16_t index, Cycle at);
  void book_next();

  MemoryControllerParams params_;
  const AddressMap& map_;
  DramAddressDecoder decoder_;
  MemoryControllerCore core_;
  std::deque<Open> open_;
  std::vector<std::uint16_t> free_;
  TimeHeap announced_;                                  // to come
  std::array<std::deque<std::uint16_t>, 2> waiting_{};  // for room, in the order of coming
  std::array<WaitHistory, 2> room_waits_;               // by direction
  WaitHistory data_waits_;
  std::uint32_t reads_open_ = 0;
  std::array<int, 2> turn_{};  // slice after the one that was accepted last
  Cycle accept_free_ = 0;      // one request a cycle is accepted
  Cycle booked_ = never;
  std::vector<Cycle> replies_free_;  // by slice: its link takes the next reply
  Cycle read_latency_;               // RD to the end of its data
  ReadLedger read_ledger_;
  CommandPayload command_;
  std::deque<LtTargetPort> slice_ports_;
  LtInitiatorPort channel_;
};

}  // namespace strata
