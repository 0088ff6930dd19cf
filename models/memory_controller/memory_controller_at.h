#pragma once

#include <vector>

#include "models/memory_controller/memory_controller_shell.h"
#include "models/tlm/ports.h"

namespace strata {

/// Serves the line requests of its LLC slices from one DRAM channel.
///
/// Reads are answered with their last data; writes and reads that a queued write can serve, one cycle after
/// their acceptance (posted writes). While a queue is full its requests are held, and accepted one a cycle,
/// slice by slice in turn, as entries become free. An atomic is answered like a read and written back
/// afterwards; it is taken when both queues have room. Every slice gets at most one reply a cycle.
class MemoryControllerAt final : public MemoryControllerShell {
 public:
  MemoryControllerAt(sc_core::sc_module_name name, const MemoryControllerParams& params,
                     const BuildContext& context);

  Accept request(Txn& txn, int port, Cycle at) override;
  void response_unblocked(int port, Cycle at) override;
  void advance(Cycle now, int unit) override;

  Faults check_idle() const override;
  std::vector<WaitNote> waits() const override;

 private:
  struct Replies {
    AccessFifo early;  // posted writes, forwarded reads
    AccessFifo data;   // in the order of their data
    Cycle free = 0;    // first cycle in which the link takes a reply
  };
  static constexpr int scheduler = 0;  // wheel units: the scheduler, then one a slice
  static int reply_unit(int slice) { return slice + 1; }

  bool has_room(const Access& access) const {
    const int bursts = core_.line_bursts().count(core_.line_bursts().sectors_in(access));
    return access.access_class == AccessClass::atomic ? core_.has_room_for_atomic(bursts)
                                                      : core_.has_room(is_write(access.access_class), bursts);
  }
  int next_held(std::size_t queue) const;
  Cycle admit(Txn& txn, int slice, Cycle at);
  void schedule(Cycle now);
  void accept_held(Cycle now);
  bool accept_one(std::size_t queue, Cycle now);
  void send(const IssuedCommand& issued, Cycle now);
  void issue(const IssuedCommand& issued, Cycle cycle) override { transport(issued, cycle); }
  Accept transport(const IssuedCommand& issued, Cycle cycle);
  void enqueue(Access& access, int slice, Cycle ready, AccessFifo& fifo);
  void reply(Cycle now, int slice);
  void book_next();

  std::vector<Replies> replies_;
  std::array<std::uint64_t, 2> held_{};  // by queue: bit = slice whose request waits for room
  std::array<int, 2> turn_{};            // slice after the one that was accepted last
  Cycle accept_free_ = 0;                // one request a cycle is accepted
};

}  // namespace strata
