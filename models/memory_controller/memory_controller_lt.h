#pragma once

#include <deque>
#include <vector>

#include "models/common/time_queue.h"
#include "models/dram_channel/dram_channel_lt.h"
#include "models/memory_controller/memory_controller_shell.h"
#include "models/memory_controller/waiting_requests.h"
#include "models/tlm/lt_ports.h"
#include "models/tlm/slot_calendar.h"
#include "models/tlm/wait_history.h"

namespace strata {

/// A memory controller behind b_transport: the core of MemoryControllerAt, FR-FCFS over its queues.
///
/// Requests enter the core in the cycle in which they come, and the core runs in simulated time. While it
/// serves reads alone, the channel behind it is one of ours and the slices are lt too, it plans them ahead
/// (ReadAhead): most reads are answered within their call, and the rest cost one event. A caller that posts
/// is answered when the end is known. A caller that cannot wait gets a promise: what the request would take
/// alone in the present state of its bank, and what requests waited lately that came when as many others were
/// under way.
///
/// A read is accepted when the read queue has a place; a write likewise, and it is acknowledged a cycle
/// later.
class MemoryControllerLt final : public MemoryControllerShell<LtBlock, LtTargetPort, LtInitiatorPort> {
 public:
  MemoryControllerLt(sc_core::sc_module_name name, const MemoryControllerParams& params,
                     const BuildContext& context);

  LtAnswer transport(Txn& txn, int port, Cycle at) override;
  LtAnswer post(Txn& txn, int port, Cycle at) override;
  void advance(Cycle now, int unit) override;
  Faults check_idle() const override;
  std::vector<WaitNote> waits() const override;

 private:
  static constexpr Cycle foresight = 16;  // cycles before it comes in which a read is planned

  using Open = OpenRequest;

  void end_of_elaboration() override;
  Open& open(const DramRequest& request, int slice, Cycle at);
  void close(Open& open);
  Cycle arrive(Open& open, Cycle at);
  bool plans_ahead(const DramRequest& request) const {
    return core_.reading_ahead() && !request.write && !request.atomic;
  }
  bool has_room(const DramRequest& request, Cycle at);
  /// Somebody waits, and is not known to wait on: command by command, entries are left in advance() and by
  /// reads that were planned before.
  bool may_have_room(std::size_t direction) const {
    return !waiting_[direction].empty() && (core_.reading_ahead() || core_.has_room(direction != 0) ||
                                            (direction == 0 && core_.leaving() > 0));
  }
  Cycle accept(bool write, int slice, Cycle at) {
    waiting_[write ? 1 : 0].accepted(slice);
    return book_slot(accepted_, at);
  }
  void admit(Open& open, Cycle accepted);
  void admit_waiting(Cycle now);
  bool admit_first(std::size_t direction, Cycle now);
  void issue(const IssuedCommand& issued, Cycle cycle) override;
  void send(const IssuedCommand& issued, Cycle now);
  static Access* access_of(const Open& open) {
    return open.posted == nullptr ? nullptr : &open.posted->access();
  }
  /// Null when the read is planned and reported. Else its queue entry.
  DramRequest* plan(DramRequest& request, Access* access, Cycle accepted, Cycle now) {
    DramRequest* const queued = core_.admit_ahead(request, accepted, now);
    report_rows();
    if (queued == nullptr) report(request, access);
    return queued;
  }
  void report(const DramRequest& planned, Access* access);
  void report_rows() {
    core_.take_commands(
        [this](const RowCommand& row) { direct_->execute(row.command, row.bank, row.row, row.at); });
  }
  void end_planned(const DramRequest& planned);
  Cycle book_slot(SlotCalendar& slots, Cycle at) {
    slots.slide(clock().now());
    return slots.book(at, 1);
  }
  /// When the reply of a read whose last RD issues in `last` has the link to its slice.
  Cycle reply(int slice, Cycle last) {
    return book_slot(replies_[static_cast<std::size_t>(slice)], last + read_latency_);
  }
  void finish(Open& open, Cycle end);
  LtAnswer promise(Access& access, Open& open, Cycle at);
  void book_next();
  void book_room();

  std::deque<Open> open_;
  std::vector<Open*> free_;
  TimeQueue<> announced_;  // to come: places in open_
  std::array<WaitingRequests, 2> waiting_;
  std::array<WaitHistory, 2> room_waits_;  // by direction
  WaitHistory data_waits_;
  bool promised_ = false;  // there is a caller who cannot wait: what others wait is learnt for it
  std::uint32_t reads_open_ = 0;
  SlotCalendar accepted_{16};          // one request a cycle is accepted
  std::vector<SlotCalendar> replies_;  // by slice: its link takes a reply a cycle
  Cycle read_latency_;                 // RD to the end of its data
  DramChannelLt* direct_ = nullptr;    // the channel, when it is one of ours
};

}  // namespace strata
