#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "models/tlm/external_sockets.h"
#include "models/tlm/module_kind.h"
#include "models/tlm/run_driver.h"

namespace strata {

/// Parameters of every external module; derive from it for more.
struct ExternalParams : ParamSet {
  int calls = 1;
  void for_each_param(ParamVisitor& visitor) override;
};

struct ExternalStats final : StatSet {
  std::uint64_t ended = 0;
  void for_each_stat(StatVisitor& visitor) const override;
};

/// A place in the netlist for an external module: what runs and reports ask of it. No transaction passes
/// here. A module without initiator sockets has no work of its own.
class ExternalBlock : public Block, public RunDriver {
 public:
  ExternalBlock(sc_core::sc_module_name name, const ExternalParams& params, const BuildContext& context);

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
  ExternalSockets sockets_{*this};
  /// Says that it will make no request any more; empty: when SystemC has nothing left to do.
  std::function<bool()> done_;

 private:
  int open() const;
  ExternalStats stats_;
  std::uint64_t before_ = 0;  // ended before the statistics were reset
};

/// The row of an external module. `Row` names it:
///   using Params = ...;                                       // ExternalParams or derived from it
///   static std::vector<PortSpec> ports(const Params&);        // tlm_sockets(...) each
///   static std::unique_ptr<Module> make(const char* name, const Params&);
///   static void add_sockets(Module&, ExternalSockets&);
///   static bool done(const Module&);                          // may be left out, see ExternalBlock
template <class Row>
class ExternalModule final : public ExternalBlock {
  using Params = typename Row::Params;
  using Module = typename decltype(Row::make("", std::declval<const Params&>()))::element_type;

 public:
  ExternalModule(sc_core::sc_module_name name, const Params& params, const BuildContext& context)
      : ExternalBlock(name, params, context), module_(Row::make("module", params)) {
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
ModuleKind external_kind(std::string_view name, std::string_view summary, std::string_view clock = "core") {
  using Params = typename Row::Params;
  return module_kind<Params, ExternalStats, ExternalModule<Row>>(
      name, summary, Role::none, clock,
      [](const ParamSet& params) { return Row::ports(static_cast<const Params&>(params)); });
}

}  // namespace strata
