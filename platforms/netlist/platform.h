#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/common/address_map.h"
#include "models/tlm/clock_domain.h"
#include "models/tlm/module_kind.h"

namespace strata::platforms {

class Netlist;

struct ElaborateOptions {
  std::uint64_t seed = 1;
  bool check_protocol = false;  ///< put a protocol checker on every TLM binding
};

/// One module of an elaborated platform.
struct PlatformInstance {
  std::string name;  ///< instance name of the netlist, e.g. "llc"
  int index = 0;     ///< which of `count`
  std::string full_name() const { return name + "[" + std::to_string(index) + "]"; }
  const ModuleKind* kind = nullptr;
  Block* block = nullptr;
};

/// A netlist turned into SystemC modules. One per process (SystemC elaborates once).
class Platform {
 public:
  /// Throws ConfigError with every fault. The netlist must outlive nothing: all that is needed is copied.
  Platform(const Netlist& netlist, const ElaborateOptions& options);
  ~Platform();

  const std::string& title() const { return title_; }
  /// In the order of the netlist, index ascending: the order of reports and digests.
  const std::vector<PlatformInstance>& instances() const { return instances_; }
  /// Instances whose module kind is `kind`, e.g. "llc_slice".
  std::vector<PlatformInstance> of_kind(std::string_view kind) const;
  /// The ledger clock: the domain named `core`.
  ClockDomain& core_clock() const { return *core_; }
  const std::vector<ClockDomain*>& clocks() const { return clocks_; }
  const AddressMap& address_map() const { return *map_; }
  /// Faults that the protocol checkers saw; 0 without check_protocol.
  std::uint64_t protocol_violations() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
  std::string title_;
  std::vector<PlatformInstance> instances_;
  std::vector<ClockDomain*> clocks_;
  ClockDomain* core_ = nullptr;
  std::unique_ptr<AddressMap> map_;
};

}  // namespace strata::platforms
