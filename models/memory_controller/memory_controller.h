#pragma once

#include <array>
#include <deque>
#include <vector>

#include "models/common/initial_state_if.h"
#include "models/memory_controller/command_payload.h"
#include "models/memory_controller/dram_address_decoder.h"
#include "models/memory_controller/memory_controller_core.h"
#include "models/tlm/module_kind.h"
#include "models/tlm/ports.h"

namespace strata {

/// Waits for the flits that follow the head of a request: a router in front of a controller may be narrower
/// than a line. A port without a router delivers a request as one flit.
class RequestTail {
 public:
  explicit RequestTail(Place queue) : queue_(queue) {}
  /// Looks up the ledger places of the links, which are known once the ports are bound.
  template <class Ports>
  void find_links(const Ports& ports) {
    for (const PortBase& port : ports) {
      const bool link = port.behind_network();
      links_.push_back({&port, link ? port.place_of_link(Cause::request_link) : queue_,
                        link ? port.place_of_link(Cause::request_serial) : queue_});
    }
  }
  /// The cycle in which the whole request has arrived at `port`, if its head arrives in cycle `at`.
  Cycle whole(Access& access, int port, const ClockDomain& clock, Cycle at) const {
    if (access.flits == 1) return at;
    const Link& link = links_[static_cast<std::size_t>(port)];
    const Cycle whole = link.port->tail(at, access.flits);
    access.ledger.charge_until(link.head, clock.ledger_at(at));
    access.ledger.charge_until(link.tail, clock.ledger_at(whole));
    return whole;
  }

 private:
  struct Link {
    const PortBase* port;
    Place head, tail;
  };
  Place queue_;
  std::vector<Link> links_;  // by port
};

/// Serves the line requests of its LLC slices from one DRAM channel.
///
/// A read is answered with its last data; a write, and a read that a queued write can serve, one cycle after
/// acceptance (posted writes). While a queue is full its requests are held, and accepted one a cycle,
/// slice by slice in turn, as entries become free. An atomic is answered like a read and written back
/// afterwards; it is accepted when both queues have free entries. Every slice gets at most one reply a cycle.
class MemoryController final : public Block, public ColdStateIf {
 public:
  static constexpr bool carries_data = true;
  MemoryController(sc_core::sc_module_name name, const MemoryControllerParams& params,
                   const BuildContext& context);

  Accept request(Txn& txn, int port, Cycle at) override;
  void response_unblocked(int port, Cycle at) override;
  void advance(Cycle now, int unit) override;
  unsigned debug(tlm::tlm_generic_payload& payload, int) override { return channel_.debug(payload); }

  const StatSet& stats() const override { return core_.stats(); }
  void reset_stats() override {
    catch_up(clock().now());
    core_.reset_stats();
  }
  void settle(Cycle now) override { catch_up(now); }
  bool make_cold() override;
  Faults check_idle() const override;
  std::vector<WaitNote> waits() const override;

  TargetPort& slice(int index) { return slice_ports_[static_cast<std::size_t>(index)]; }
  InitiatorPort& channel() { return channel_; }
  const MemoryControllerCore& core() const { return core_; }
  const MemoryControllerParams& params() const { return params_; }
  /// Where the line of an access lies in the channel.
  DramLocation location_of(const Access& access) const {
    return decoder_.decode(index_in_controller(map_, access.line, params_.controllers_per_channel));
  }

 private:
  struct Replies {
    AccessFifo early;  // posted writes, forwarded reads
    AccessFifo data;   // in the order of their data
    Cycle free = 0;    // first cycle in which the link takes a reply
  };
  static constexpr int scheduler = 0;  // wheel units: the scheduler, then one a slice
  static int reply_unit(int slice) { return slice + 1; }

  void end_of_elaboration() override { tail_.find_links(slice_ports_); }
  bool has_room(const Access& access) const;
  int next_held(std::size_t queue) const;
  Cycle admit(Txn& txn, int slice, Cycle at);
  void schedule(Cycle now);
  void accept_held(Cycle now);
  bool accept_one(std::size_t queue, Cycle now);
  void send(const IssuedCommand& issued, Cycle now);
  Accept transport(const IssuedCommand& issued, Cycle cycle);
  void enqueue(Access& access, int slice, Cycle ready, AccessFifo& fifo);
  void reply(Cycle now, int slice);
  void book_next();
  void catch_up(Cycle now);
  void move_bytes(Txn& txn);
  void wake(Cycle next);

  const MemoryControllerParams params_;
  const AddressMap& map_;
  DramAddressDecoder decoder_;
  MemoryControllerCore core_;
  Cycle booked_ = never;
  Cycle made_cold_ = 0;  // last cycle of make_cold()
  ReadLedger read_ledger_;
  RequestTail tail_;
  CommandPayload command_;
  std::deque<TargetPort> slice_ports_;
  InitiatorPort channel_;
  const bool carries_data_;

  std::vector<Replies> replies_;
  std::array<std::uint64_t, 2> held_{};  // by queue: bit = slice whose request waits for an entry
  std::array<int, 2> turn_{};            // slice after the one that was accepted last
  Cycle accept_free_ = 0;                // one request a cycle is accepted
};

}  // namespace strata
