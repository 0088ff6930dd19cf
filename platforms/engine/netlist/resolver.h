#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/common/text.h"
#include "platforms/engine/netlist/expression.h"
#include "platforms/engine/netlist/netlist.h"
#include "platforms/engine/netlist/param_table.h"

namespace strata {
struct LlcControlParams;
}

namespace strata::platforms {

/// Turns the text of a netlist into the description of a platform, and collects every fault.
class Resolver {
 public:
  Resolver(const Netlist& netlist, Faults& faults) : netlist_(netlist), faults_(faults) {}
  /// The result is complete only if no fault was added.
  ResolvedNetlist run();

  /// Group of that name if at least its module is known; otherwise null.
  const ResolvedGroup* find_group(const std::string& name) const;
  std::vector<std::string> instance_names() const;
  /// True if counts or sockets of the group are uncertain because its parameters have faults.
  bool doubtful(const std::string& group) const;
  /// Value of `sm.sms` or `llc.count`; empty, with `problem` set, if there is none.
  std::optional<std::int64_t> reference(const std::string& name, std::string& problem) const;
  void fault(const SourcePosition& where, std::string message) {
    faults_.push_back({where, std::move(message)});
  }

 private:
  void resolve_clocks();
  void resolve_address_map();
  void resolve_run();
  void resolve_group(const NetlistSection& section);
  void resolve_overrides(const NetlistSection& section, ResolvedGroup& group);
  std::string clock_of(const NetlistSection& section, const ModuleKind& kind);
  void resolve_timing(const NetlistSection& section, const ModuleKind& kind, ResolvedMember& member);
  const RtlDesign* design_of(const NetlistSection& section, const NetlistEntry& timing,
                             const ModuleKind& kind);
  void resolve_check(const NetlistSection& section, ResolvedMember& member);
  int count_of(const NetlistSection& section);
  std::string ledger_place_of(const NetlistSection& section);
  double link_mm_of(const NetlistSection& section, const ModuleKind& kind);
  void read_arrays(const NetlistSection& section, CacheArrays& arrays, const IntegerReader& integers);
  bool index_of(const NetlistSection& section, const std::string& text, int count, int& index);
  void fill_member(const NetlistSection& section, const NetlistSection* base, const std::string& prefix,
                   const ModuleKind& kind, std::size_t faults_before, ResolvedMember& member);
  std::string origins(const NetlistSection& section, const std::string& message) const;
  std::string origin_of(const std::string& text) const;
  void name_uneven_divisions();
  void check_platform();
  void check_total(Role role, int expected, const std::string& formula);
  void check_lines();
  std::vector<std::size_t> levels_below(std::size_t group) const;
  void check_same_line(const ResolvedGroup& asks, const std::string& line, const std::string& texture_line,
                       const ResolvedGroup& l1);
  void check_sectors(const ResolvedGroup& asks, const ResolvedGroup& l1);
  void check_homes();
  void check_links();
  void check_clocks();
  void check_data();
  Hertz frequency_of(std::string_view clock) const;
  void check_llc_control();
  void check_dsmem();
  void check_flushes();
  void check_listed_organizations(const ResolvedGroup& control, const LlcControlParams& params);
  void check_prefetchers(const LlcControlParams& control);
  void check_gates(const ResolvedGroup& control);
  SourcePosition place_of(const ResolvedGroup& group, std::string_view key) const;
  const NetlistSection* section_of(const std::string& instance) const;
  std::optional<std::int64_t> integer(const std::string& text, std::string& problem,
                                      std::optional<Expression::Uneven>* uneven = nullptr) const;

  const Netlist& netlist_;
  Faults& faults_;
  ResolvedNetlist out_;
  std::vector<std::string> doubtful_;
  bool map_is_sound_ = false;
  mutable std::vector<std::string> open_references_;  // detects circular references
};

/// " (did you mean 'x'?)", or the whole list if nothing is near.
std::string hint_or_list(const std::string& word, const std::vector<std::string>& known);

/// By file in order of appearance, then by line and column; duplicates are dropped.
void sort_faults(Faults& faults);

}  // namespace strata::platforms
