#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "models/tlm/module_kind.h"
#include "models/tlm/ports.h"
#include "models/tlm/run_driver.h"

namespace strata {

/// A socket of a module that knows nothing of Strata, as netlists see it. It is bound itself: nothing is put
/// in between.
class ForeignPort final : public PortBase {
 public:
  using BindOut = std::function<void(tlm::tlm_target_socket<>&)>;
  using BindIn = std::function<void(tlm::tlm_initiator_socket<>&)>;

  ForeignPort(Block& owner, const std::string& group, int index, BindOut bind_out);
  ForeignPort(Block& owner, const std::string& group, int index, BindIn bind_in);

  bool bind_to(PortBase& other) override;
  bool bind_to(PortBase& other, ProtocolChecker& checker) override;
  bool bind_out(tlm::tlm_target_socket<>& to) override;
  bool bind_in(tlm::tlm_initiator_socket<>& from) override;
  /// The port of ours at the other end; null: none, or not bound yet.
  const TargetPort* target() const { return target_; }
  void allow_calls(int calls) { calls_ = calls; }

 private:
  BindOut out_;
  BindIn in_;
  TargetPort* target_ = nullptr;
  int calls_ = 1;
};

/// The sockets of a foreign module, named as its row names them; those of a group in the order of add().
class ForeignSockets {
 public:
  explicit ForeignSockets(Block& owner) : owner_(owner) {}

  /// Any initiator socket of the base protocol, of any bus width: plain, simple, passthrough or
  /// multi_passthrough.
  template <unsigned width, int most, sc_core::sc_port_policy policy>
  void add(const std::string& group,
           tlm::tlm_base_initiator_socket<width, tlm::tlm_fw_transport_if<>, tlm::tlm_bw_transport_if<>, most,
                                          policy>& socket) {
    if constexpr (width == 32) {
      ports_.emplace_back(owner_, group, next(group),
                          ForeignPort::BindOut([&socket](auto& to) { socket.bind(to); }));
    } else {
      ports_.emplace_back(owner_, group, next(group), ForeignPort::BindOut([&socket](auto& to) {
                            socket.get_base_port()(to.get_base_interface());
                            to.get_base_port()(socket.get_base_interface());
                          }));
    }
  }
  /// Any target socket likewise.
  template <unsigned width>
  void add(const std::string& group, tlm::tlm_base_target_socket_b<width>& socket) {
    ports_.emplace_back(owner_, group, next(group), ForeignPort::BindIn([&socket](auto& from) {
                          from.get_base_port()(socket.get_base_interface());
                          socket.get_base_port()(from.get_base_interface());
                        }));
  }

  std::deque<ForeignPort>& ports() { return ports_; }
  const std::deque<ForeignPort>& ports() const { return ports_; }

 private:
  int next(const std::string& group) const;
  Block& owner_;
  std::deque<ForeignPort> ports_;
};

/// Parameters of every foreign module; derive from it for more.
struct ForeignParams : ParamSet {
  int calls = 1;
  void for_each_param(ParamVisitor& visitor) override;
};

struct ForeignStats final : StatSet {
  std::uint64_t ended = 0;
  void for_each_stat(StatVisitor& visitor) const override;
};

/// A place in the netlist for a foreign module: what runs and reports ask of it. No transaction passes here.
/// A module without initiator sockets has no work of its own.
class ForeignBlock : public Block, public RunDriver {
 public:
  ForeignBlock(sc_core::sc_module_name name, const ForeignParams& params, const BuildContext& context);

  // RunDriver: its own work are the requests that it makes.
  bool finished() const override;
  Cycle end_cycle() const override;
  std::uint64_t work_done() const override;

  // Block
  void advance(Cycle, int) override {}
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override { before_ = work_done(); }
  void settle(Cycle now) override;
  Faults check_idle() const override;
  std::vector<WaitNote> waits() const override;

 protected:
  void start_counting(int calls);
  ForeignSockets sockets_{*this};
  /// Says that it will make no request any more; empty: when SystemC has nothing left to do.
  std::function<bool()> done_;

 private:
  int open() const;
  ForeignStats stats_;
  std::uint64_t before_ = 0;  // ended before the statistics were reset
};

/// The row of a foreign module. `Row` names it:
///   using Params = ...;                                       // ForeignParams or derived from it
///   static std::vector<PortSpec> ports(const Params&);        // tlm_sockets(...) each
///   static std::unique_ptr<Module> make(const char* name, const Params&);
///   static void add_sockets(Module&, ForeignSockets&);
///   static bool done(const Module&);                          // may be left out, see ForeignBlock
template <class Row>
class ForeignModule final : public ForeignBlock {
  using Params = typename Row::Params;
  using Module = typename decltype(Row::make("", std::declval<const Params&>()))::element_type;

 public:
  ForeignModule(sc_core::sc_module_name name, const Params& params, const BuildContext& context)
      : ForeignBlock(name, params, context), module_(Row::make("module", params)) {
    Row::add_sockets(*module_, sockets_);
    if constexpr (has_done<Row>(0)) done_ = [this] { return Row::done(*module_); };
    start_counting(params.calls);
  }

 private:
  template <class R>
  static constexpr auto has_done(int) -> decltype(&R::done, true) {
    return true;
  }
  template <class R>
  static constexpr bool has_done(long) {
    return false;
  }
  std::unique_ptr<Module> module_;
};

template <class Row>
ModuleKind foreign_kind(std::string_view name, std::string_view summary, std::string_view clock = "core") {
  using Params = typename Row::Params;
  return module_kind<Params, ForeignStats, ForeignModule<Row>>(
      name, summary, Role::none, clock,
      [](const ParamSet& params) { return Row::ports(static_cast<const Params&>(params)); });
}

}  // namespace strata
