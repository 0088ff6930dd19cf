#pragma once

#include <algorithm>
#include <array>
#include <deque>

#include "models/noc/router/router_stage_params.h"
#include "models/noc/router/router_stage_stats.h"
#include "models/noc/routing/routing.h"
#include "models/noc/switching/crossbar.h"
#include "models/tlm/module_kind.h"
#include "models/tlm/organization_port_if.h"
#include "models/tlm/ports.h"
#include "models/tlm/router_control_if.h"

namespace strata {

/// Where a router charges ledgers, in the network of requests or in that of replies.
struct RouterPlaces {
  Place link, serial, router, queue;
};

/// A crossbar stage: requests go from `in` to `out`, replies back from `out` to `in`, each through a network
/// of its own.
///
/// Concentrators, distributors and the routers of hierarchical crossbars are all router stages. The first
/// stage that a request meets chooses its LLC slice; a stage routes by that slice (or by line number) and
/// remembers the way back in the request.
///
/// This class has what all routers share: ports, routing, control and statistics. Derived classes pass
/// packets through the two networks: as a whole (NarrowPacketRouter), or flit by flit where that makes a
/// difference (FlitRouter).
class RouterStage : public Block, protected RouterControlIf {
 public:
  /// `units`: of the wheel; none if the networks book turns of their ports.
  RouterStage(sc_core::sc_module_name name, const RouterStageParams& params, const BuildContext& context,
              int units = 2);

  unsigned debug(tlm::tlm_generic_payload& payload, int port) override;

  const StatSet& stats() const override { return stats_; }
  void reset_stats() override;
  void settle(Cycle now) override;
  Faults check_idle() const override;
  std::vector<WaitNote> waits() const override;
  bool is_network() const override { return true; }

  TargetPort& in(int index) { return *in_[static_cast<std::size_t>(index)]; }
  InitiatorPort& out(int index) { return *out_[static_cast<std::size_t>(index)]; }
  ControlOut<OrganizationPortIf>& organization() { return organization_; }
  ControlIn<RouterControlIf>& control() { return control_; }

  /// True when no packet is inside.
  bool drained() const;
  bool bypassed() const { return bypassed_; }
  /// Gates the crossbar and connects input i to output i, or ends that. Only while drained.
  void set_bypass(bool on) override;

 protected:
  static constexpr int request_unit = 0;
  static constexpr int reply_unit = 1;

  /// The request network or the one of replies.
  virtual Crossbar& network(bool reply) = 0;
  const Crossbar& network(bool reply) const { return const_cast<RouterStage*>(this)->network(reply); }
  void end_of_elaboration() override;

  /// Sets `flits` of an access, its length as a request or reply; its way is remembered or taken back.
  /// Where it goes.
  template <bool reply>
  RouteStep enter(Access& access, int port);
  /// A packet whose head comes in cycle `at` from a slower clock waits until its flits can follow each other
  /// here: the cycle that counts as its head's.
  template <bool reply>
  Cycle dense(const Access& access, int port, Cycle at) const;
  void wake(Cycle due, int unit);
  template <bool reply>
  void charge(Access& access) const;
  /// Notifies a sender that was held when it may continue.
  void end_hold(bool reply, const CrossbarRelease& release) {
    if (release.input < 0) return;
    const auto port = static_cast<std::size_t>(release.input);
    reply ? outs_[port]->accept(release.until) : ins_[port]->accept(release.until);
  }
  int request_flits(const Access& access) const;
  int reply_flits(const Access& access) const;
  int partial_reply_flits(const Access& access) const;
  int flits_of_words(const Access& access) const;  ///< of the sectors but for the spare words
  const RouterStageParams& params() const { return params_; }

  // State that every packet needs: one cache line for departures, one for arrivals.
  alignas(64) Cycle ledger_now_ = 0;    // of the cycle in which packets leave
  Cycle link_limit_ = 0;                // in ledger cycles
  Cycle router_limit_ = 0;              // in ledger cycles
  std::int64_t least_dwell_ = 0;        // the two together
  std::array<RouterPlaces, 2> places_;  // of requests, of replies
  TargetPort** ins_ = nullptr;          // in_
  InitiatorPort** outs_ = nullptr;      // out_
  alignas(64) std::unique_ptr<const Routing> routing_;
  bool bypassed_;
  bool by_slice_;
  bool meets_slower_ = false;                  // some socket faces a slower clock
  std::array<std::uint8_t, 256> flits_;        // by sector mask; few are asked for
  std::array<Cycle, 2> booked_{never, never};  // next cycle for which each network is booked
  std::vector<TargetPort*> in_;
  std::vector<InitiatorPort*> out_;
  RouterStageStats stats_;

 private:
  std::string bypass_fault() const override;
  bool is_drained() const override { return drained(); }
  bool is_bypassed() const override { return bypassed_; }
  ReplyStage reply_stage() const override;

  void name_destination(Access& access);
  void count_time(Cycle now);
  void count_gated();

  RouterStageParams params_;
  const AddressMap& map_;
  std::uint64_t line_shift_ = 0;
  std::uint64_t counted_until_ = 0;
  std::array<std::uint64_t, 2> counted_flits_{};  // that left each network, up to the last gating
  std::deque<TargetPort> in_ports_;
  std::deque<InitiatorPort> out_ports_;
  ControlOut<OrganizationPortIf> organization_;
  ControlIn<RouterControlIf> control_;
};

// --- the path of every packet

namespace detail {

// By class: all sectors when packets of the class carry data, none when they are a header.
using SectorMasks = std::array<std::uint8_t, static_cast<int>(AccessClass::count_)>;
constexpr SectorMasks masks_of(bool (*carries)(AccessClass)) {
  SectorMasks masks{};
  for (std::size_t c = 0; c < masks.size(); ++c)
    if (carries(static_cast<AccessClass>(c))) masks[c] = 0xff;
  return masks;
}
inline constexpr SectorMasks request_sectors = masks_of(carries_request_data);
inline constexpr SectorMasks reply_sectors = masks_of(carries_reply_data);

}  // namespace detail

inline int RouterStage::request_flits(const Access& access) const {
  return flits_[access.sectors & detail::request_sectors[static_cast<int>(access.access_class)]];
}

inline int RouterStage::reply_flits(const Access& access) const {
  if (access.spare_words != 0) [[unlikely]]
    return partial_reply_flits(access);
  return flits_[access.sectors & detail::reply_sectors[static_cast<int>(access.access_class)]];
}

template <bool reply>
inline RouteStep RouterStage::enter(Access& access, int port) {
  if (reply) {
    access.flits = static_cast<std::uint8_t>(reply_flits(access));
    return {access.pop_route()};
  }
  access.flits = static_cast<std::uint8_t>(request_flits(access));
  access.push_route(port);
  if (bypassed_) [[unlikely]]
    return {port};
  if (!by_slice_ || access.slice == no_slice) name_destination(access);
  return routing_->route(access, port);
}

template <bool reply>
inline Cycle RouterStage::dense(const Access& access, int port, Cycle at) const {
  if (!meets_slower_) return at;
  const auto index = static_cast<std::size_t>(port);
  return (reply ? out_[index]->tail(at, access.flits) : in_[index]->tail(at, access.flits)) + 1 -
         access.flits;
}

// The wheel gets the next cycle of a network only: at its end, advance() names the one after.
[[gnu::always_inline]] inline void RouterStage::wake(Cycle due, int unit) {
  Cycle& booked = booked_[static_cast<std::size_t>(unit)];
  if (due >= booked) return;
  booked = due;
  book(due, unit);
}

// Cycles since the last charge: up to the link's latency are the link's, up to that of the pipeline the
// router's, the rest is waiting.
template <bool reply>
[[gnu::always_inline]] inline void RouterStage::charge(Access& access) const {
  const RouterPlaces& places = places_[reply ? 1 : 0];
  Ledger& ledger = access.ledger;
  const Cycle now = ledger_now_, link = link_limit_, router = router_limit_;  // in registers
  const Cycle mark = ledger.mark();
  if (static_cast<std::int64_t>(now - mark) >= least_dwell_) [[likely]] {
    ledger.charge(places.link, mark + link);
    ledger.charge(places.router, mark + link + router);
    ledger.charge(places.queue, now);
    return;
  }
  const Cycle end = std::max(mark, now);
  ledger.charge(places.link, std::min(mark + link, end));
  ledger.charge_split(places.router, router, places.queue, end);
}

/// The router that the parameters need: of whole packets, or of flits.
std::unique_ptr<RouterStage> make_router_stage(const char* name, const RouterStageParams& params,
                                               const BuildContext& context);

}  // namespace strata
