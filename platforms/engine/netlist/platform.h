#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/common/address_map.h"
#include "models/tlm/call_watch_if.h"
#include "models/tlm/clock_domain.h"
#include "models/tlm/module_kind.h"
#include "platforms/engine/netlist/netlist.h"

namespace strata::platforms {

struct ElaborateOptions {
  std::uint64_t seed = 1;
  bool check_protocol = false;  ///< put a protocol checker on every TLM binding
  /// The observer of the calls of a binding; null: none. It must outlive the simulation.
  std::function<CallWatchIf*(const PortBase& from, const PortBase& to)> watch = nullptr;
};

/// One module of an elaborated platform.
struct PlatformInstance {
  std::string name;  ///< instance name in the netlist, e.g. "llc"
  int index = 0;     ///< which of `count`
  std::string full_name() const { return name + "[" + std::to_string(index) + "]"; }
  const ModuleKind* kind = nullptr;
  Block* block = nullptr;
};

/// A clock of the netlist. Clocks of equal frequency share one domain, and so one wheel, but keep their
/// names.
struct PlatformClock {
  std::string name;
  ClockDomain* domain = nullptr;
};

/// A netlist turned into SystemC modules. One per process (SystemC elaborates once).
class Platform {
 public:
  /// Throws ConfigError with every fault. The netlist may be destroyed afterwards: the platform copies all it
  /// needs.
  Platform(const Netlist& netlist, const ElaborateOptions& options);
  ~Platform();

  const std::string& title() const { return title_; }
  /// In the order of the netlist, index ascending: the order of reports and digests.
  const std::vector<PlatformInstance>& instances() const { return instances_; }
  /// Instances whose module kind is `kind`, e.g. "llc_slice".
  std::vector<PlatformInstance> of_kind(std::string_view kind) const;
  std::vector<PlatformInstance> of_role(Role role) const;
  /// The ledger clock: the domain named `core`.
  ClockDomain& core_clock() const { return *core_; }
  /// Every domain once.
  const std::vector<ClockDomain*>& clocks() const { return clocks_; }
  /// Every clock name of the netlist, with its domain.
  const std::vector<PlatformClock>& named_clocks() const { return named_clocks_; }
  const AddressMap& address_map() const { return *map_; }
  /// Places of the ledgers of all its accesses.
  const LedgerPlaces& ledger_places() const { return core_->places(); }
  /// The resolved netlist; effective_configuration() writes it.
  const ResolvedNetlist& netlist() const { return netlist_; }
  /// Makes SystemC finish elaboration now, so that its errors become ConfigError; no time passes.
  void finish_elaboration();
  /// Call after a run that was not cut short: an unfinished transaction is a fault too.
  void check_protocol_finished();
  /// Faults found by the protocol checkers; 0 without check_protocol.
  std::uint64_t protocol_violations() const;
  /// Transactions seen by the checkers, each counted once per binding.
  std::uint64_t checked_transactions() const;

 private:
  struct Parts;
  void make_clocks();
  void make_blocks(const ElaborateOptions& options);
  void make_connections(const ElaborateOptions& options);
  bool bind_tlm(PortBase& from, PortBase& to, const ElaborateOptions& options);
  void close_open_sockets();
  void order_places();
  PortBase& port(const ResolvedEnd& end) const;

  ResolvedNetlist netlist_;
  std::string title_;
  std::unique_ptr<AddressMap> map_;
  std::unique_ptr<Parts> parts_;
  std::vector<PlatformInstance> instances_;
  std::vector<std::size_t> first_of_group_;  // position in instances_
  std::vector<ClockDomain*> clocks_;
  std::vector<PlatformClock> named_clocks_;
  ClockDomain* core_ = nullptr;
};

}  // namespace strata::platforms
