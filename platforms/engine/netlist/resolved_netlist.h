#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/common/address_map.h"
#include "models/tlm/module_kind.h"
#include "platforms/engine/netlist/cache_arrays.h"
#include "platforms/engine/plugins/plugin_file.h"

namespace strata::platforms {

struct ResolvedClock {
  std::string name;
  Hertz frequency;
};

/// One instance of a group: its parameters and sockets (shared between members without overrides).
struct ResolvedMember {
  std::shared_ptr<ParamSet> params;
  std::shared_ptr<const std::vector<PortSpec>> ports;
  bool lt = false;                 ///< `timing: lt`: today the same block as in at
  const RtlDesign* rtl = nullptr;  ///< it is this design; null: it is its module's model
  bool check_model = false;        ///< the model decides beside the design
  std::string timing() const { return rtl != nullptr ? "rtl:" + std::string(rtl->name) : lt ? "lt" : "at"; }
};

/// All instances of one name.
struct ResolvedGroup {
  std::string name;
  SourcePosition where;
  const ModuleKind* kind = nullptr;
  std::string clock;
  std::string place;    ///< ledger place, if the netlist names one
  double link_mm = 0;   ///< length of each link of a router; 0: taken from the floor plan
  CacheArrays arrays;   ///< arrays of a cache
  ResolvedMember base;  ///< a member without `name[i]` overrides
  std::vector<ResolvedMember> members;
  std::vector<std::string> written;  ///< parameters that the netlist sets, in its order: shown in drawings
  int count() const { return static_cast<int>(members.size()); }
};

/// `group[index].port[socket]`.
struct ResolvedEnd {
  int group = 0;  ///< position in ResolvedNetlist::groups
  int index = 0;
  int port = 0;  ///< position in the member's ports
  int socket = 0;
};

struct ResolvedConnection {
  ResolvedEnd from;  ///< initiator or control_out
  ResolvedEnd to;
  bool tlm = true;  ///< false: a control connection
  int binding = 0;  ///< position in ResolvedNetlist::bindings
};

/// Of a run whose netlist and command line give none.
constexpr std::uint64_t default_seed = 1;

struct RunDefaults {
  std::optional<std::uint64_t> seed;
  std::optional<std::uint64_t> max_instructions;
  std::optional<bool> check_protocol;
  bool lt = false;            ///< default timing of instances
  bool carries_data = false;  ///< payloads carry bytes
  bool fast_path = true;      ///< loads that hit may go without a transaction
};

/// A netlist without faults, with every default filled in.
struct ResolvedNetlist {
  std::string title;
  PluginFiles plugins;
  std::vector<ResolvedClock> clocks;
  AddressMapParams address_map;
  std::vector<ResolvedGroup> groups;
  std::vector<std::string> bindings;  ///< statements as written
  std::vector<ResolvedConnection> connections;
  std::vector<ResolvedConnection>
      implied;  ///< control connections that were added automatically (PortSpec::follows)
  RunDefaults run;

  const ResolvedMember& member(const ResolvedEnd& end) const {
    return groups[static_cast<std::size_t>(end.group)].members[static_cast<std::size_t>(end.index)];
  }
  const PortSpec& port(const ResolvedEnd& end) const {
    return (*member(end).ports)[static_cast<std::size_t>(end.port)];
  }
  /// A line for the user where instances are to be in lt; else empty.
  std::string timing_note() const;
  /// `llc[3].mem[0]`
  std::string text(const ResolvedEnd& end) const;
};

/// Connections of control outputs that follow other sockets and are not bound explicitly.
std::vector<ResolvedConnection> implied_connections(const ResolvedNetlist& netlist);

/// The whole effective configuration as YAML: loading it gives the same platform.
std::string effective_configuration(const ResolvedNetlist& netlist);

}  // namespace strata::platforms
