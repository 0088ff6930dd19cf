#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "models/common/address_map.h"
#include "models/common/params.h"
#include "models/common/resource.h"
#include "models/common/stats.h"
#include "models/common/storage.h"
#include "models/tlm/block.h"
#include "models/tlm/port_base.h"
#include "models/tlm/rtl_design.h"

namespace strata {

/// What a module is to the machine around it. Figures, laws and rules of platforms know roles, never modules
/// by name: whatever takes a role and counts under the names of that role has a part in them.
/// Roles of plug-ins come behind these: see add_role().
enum class Role : std::uint8_t {
  none,
  dispatcher,
  sm,
  generator,
  l1,
  router,
  llc,
  control,
  memory,
  channel,
  observer,
  count_
};

/// What the rest of the program knows of a role.
struct RoleRow {
  std::string_view name;
  std::string_view sentence;
  /// Where ledgers charge its blocks unless they are given a place; empty: by their instance.
  std::string_view place;
  std::vector<Cause> causes;  ///< what ledgers charge there
  std::string_view colour =
      "#d7dadf";  ///< in drawings: as on report pages, with 70 % of white, so that text stays readable
  /// Its blocks pass requests on to what serves them, as routers do: rules and figures look behind them.
  bool passes = false;
};
const RoleRow& row_of(Role role);
/// Those of plug-ins included.
int role_count();
/// A role of a plug-in, for a row of its modules: the same value for the same name. Throws ConfigError when a
/// role of Strata has the name.
Role add_role(const RoleRow& row);

inline std::string_view to_text(Role role) {
  return row_of(role).name;
}
inline std::string_view sentence(Role role) {
  return row_of(role).sentence;
}
inline std::string_view place_of(Role role) {
  return row_of(role).place;
}
inline const std::vector<Cause>& causes_of(Role role) {
  return row_of(role).causes;
}
inline bool passes(Role role) {
  return row_of(role).passes;
}
/// The rows that a machine with a block of every role of Strata has in ledgers.
const LedgerPlaces& nominal_places();

/// Counters of a module that add up to the requests and the replies that pass a group of its sockets; what a
/// counter behind a minus counts is taken off. Empty: it does not count that direction.
struct HopCounters {
  std::vector<std::string_view> requests, replies;
};

/// One group of sockets of a module, as the netlist checker and the docs see it before anything is built.
struct PortSpec {
  std::string name;
  PortRole role;
  int count = 1;          ///< sockets in the group, from the parameters
  bool optional = false;  ///< may stay unbound; otherwise each socket is bound exactly once
  std::string protocol;   ///< "tlm" or the control interface's name: only equal ones bind
  std::string sentence;
  HopCounters hop = {};  ///< both ends of a hop must have counted the same
  /// Of control outputs: where nothing binds one, it goes to every control input of its protocol that is the
  /// first on the ways which begin at the socket of this group with its number.
  std::string_view follows = {};
  std::string_view former = {};  ///< what it was called once: refused with its name of today
};

/// A group of TLM sockets, each bound exactly once.
inline PortSpec tlm_sockets(std::string name, PortRole role, int count, std::string sentence,
                            HopCounters hop = {}, std::string_view former = {}) {
  return {std::move(name), role, count, false, "tlm", std::move(sentence), std::move(hop), {}, former};
}

/// What a block gets from the platform that builds it.
struct BuildContext {
  ClockDomain& clock;
  const AddressMap& map;
  int index = 0;                ///< which of the instances of this name
  int count = 1;                ///< how many there are
  std::uint64_t seed = 1;       ///< of the run; mix with the full name
  std::string_view place = {};  ///< where ledgers charge the block; empty: as its role says
  /// What the instances of its name share, made by the first that needs it; null: it is alone.
  std::shared_ptr<void>* shared = nullptr;
  bool check_model = false;  ///< of RTL: the model's decisions beside it
  bool fast_path = true;     ///< loads that hit may go without a transaction (FastHits)

  /// Of TxnPool: nothing in the platform reads the attributes of payloads.
  bool late_attributes() const { return fast_path && !clock.carries_data(); }
  std::string_view place_as(Role role) const { return place.empty() ? place_of(role) : place; }
};

/// How RTL takes the place of a module's model.
struct RtlPlace {
  /// Why it cannot with these parameters; empty: it can.
  Faults (*check)(const ParamSet& params, const RtlModule& design);
  std::unique_ptr<Block> (*make)(const char* name, const ParamSet& params, const BuildContext& context,
                                 std::unique_ptr<RtlModule> design);
};

/// One row of the table of modules. Each block folder defines `const ModuleKind& <block>_kind()`.
struct ModuleKind {
  std::string_view name;
  std::string_view summary;
  Role role;
  std::string_view clock;  ///< default clock domain: "core", "noc" or "dram"
  std::unique_ptr<ParamSet> (*new_params)();
  std::vector<PortSpec> (*ports)(const ParamSet& params);
  std::unique_ptr<Block> (*make)(const char* name, const ParamSet& params, const BuildContext& context);
  std::unique_ptr<StatSet> (*new_stats)();
  /// `timing: lt` is accepted, see docs/methods/lt.md.
  bool lt = false;
  /// Control blocks have no timing of their own.
  bool untimed = false;
  /// What the block would store; null: it does not say.
  StorageFields (*storage)(const ParamSet& params) = nullptr;
  /// What of the block can be used up; null: it does not say.
  Resources (*resources)(const ParamSet& params) = nullptr;
  /// RTL may take its place; null: it may not.
  const RtlPlace* rtl = nullptr;
  /// Its blocks move the bytes that payloads carry (`run.data: carried`).
  bool carries_data = false;
};

/// Blocks say `static constexpr bool carries_data = true`.
template <class Made, class = void>
constexpr bool moves_bytes = false;
template <class Made>
constexpr bool moves_bytes<Made, std::enable_if_t<Made::carries_data>> = true;

/// A row whose parameters, statistics and blocks have the usual constructors.
template <class Params, class Stats, class Made, bool lt = false>
ModuleKind module_kind(std::string_view name, std::string_view summary, Role role, std::string_view clock,
                       std::vector<PortSpec> (*ports)(const ParamSet& params)) {
  ModuleKind kind{
      name,
      summary,
      role,
      clock,
      []() -> std::unique_ptr<ParamSet> { return std::make_unique<Params>(); },
      ports,
      [](const char* block, const ParamSet& params, const BuildContext& context) -> std::unique_ptr<Block> {
        return std::make_unique<Made>(block, static_cast<const Params&>(params), context);
      },
      []() -> std::unique_ptr<StatSet> { return std::make_unique<Stats>(); }};
  kind.lt = lt;
  kind.carries_data = moves_bytes<Made>;
  return kind;
}

}  // namespace strata
