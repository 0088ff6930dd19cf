#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "models/common/instruction_source.h"
#include "models/tlm/module_kind.h"

namespace strata {

/// A kind of trace that `--trace NAME:SPEC` opens.
struct TraceKind {
  std::string_view name;
  std::string_view summary;
  /// `spec`: the text after the colon; `seed`: that of the run. Throws ConfigError.
  std::unique_ptr<InstructionSource> (*open)(const std::string& spec, std::uint64_t seed);
};

/// A row of a table of policies (models/common/policy_table.h) that a plug-in brings.
struct PluginPolicy {
  std::string_view kind, name;
  bool whole;                  ///< it has `make`
  std::function<bool()> fits;  ///< no other policy of its kind has its name
  std::function<void()> add;   ///< to the table
};

/// What a plug-in brings. Rows keep their place in memory.
class PluginRows {
 public:
  void add(ModuleKind kind) { modules_.push_back(std::move(kind)); }
  void add(TraceKind kind) { traces_.push_back(kind); }
  void add(RtlDesign design) { designs_.push_back(design); }
  /// A policy: a row of any table for which PolicyTable says how it is done.
  template <class Row>
  auto add(Row row) -> decltype(Row::table().add(row)) {
    policies_.push_back({Row::kind, row.name, row.make != nullptr, [row] { return Row::table().fits(row); },
                         [row] { Row::table().add(row); }});
  }
  const std::deque<ModuleKind>& modules() const { return modules_; }
  const std::deque<TraceKind>& traces() const { return traces_; }
  const std::deque<RtlDesign>& designs() const { return designs_; }
  const std::deque<PluginPolicy>& policies() const { return policies_; }

 private:
  std::deque<ModuleKind> modules_;
  std::deque<TraceKind> traces_;
  std::deque<RtlDesign> designs_;
  std::deque<PluginPolicy> policies_;
};

/// What a plug-in and the program that loads it must have in common. It is read from the bytes of the file,
/// because no code of an incompatible plug-in may run.
struct PluginMark {
  char magic[24] = "strata plug-in mark: 01";
  char abi[8] = "1";         ///< incremented when an interface of plug-ins changes
  std::uint32_t layout = 0;  ///< sizes of shared types
  char compiler[44] = {};
  char systemc[16] = {};
};

constexpr std::uint32_t layout_hash(std::initializer_list<std::size_t> sizes) {
  std::uint32_t hash = 2166136261U;  // FNV-1a
  for (const std::size_t size : sizes) hash = (hash ^ static_cast<std::uint32_t>(size)) * 16777619U;
  return hash;
}

#define STRATA_TEXT_OF(number) #number
#define STRATA_TEXT(number) STRATA_TEXT_OF(number)
#ifdef __clang__
#define STRATA_COMPILER "clang " STRATA_TEXT(__clang_major__)
#else
#define STRATA_COMPILER "gcc " STRATA_TEXT(__GNUC__)
#endif
#ifdef _GLIBCXX_USE_CXX11_ABI
#define STRATA_LIBRARY " with libstdc++, string ABI " STRATA_TEXT(_GLIBCXX_USE_CXX11_ABI)
#else
#define STRATA_LIBRARY " with another library than libstdc++"
#endif

constexpr PluginMark plugin_mark() {
  PluginMark mark{
      {"strata plug-in mark: 01"},
      {"1"},
      0,
      {STRATA_COMPILER STRATA_LIBRARY},
      {STRATA_TEXT(SC_VERSION_MAJOR) "." STRATA_TEXT(SC_VERSION_MINOR) "." STRATA_TEXT(SC_VERSION_PATCH)}};
  mark.layout =
      layout_hash({sizeof(Block), sizeof(Txn), sizeof(Access), sizeof(PortBase), sizeof(PortSpec),
                   sizeof(ModuleKind), sizeof(BuildContext), sizeof(ParamSet), sizeof(Histogram),
                   sizeof(WarpInstruction), sizeof(KernelInfo), sizeof(CtaTrace), sizeof(PluginRows)});
  return mark;
}

}  // namespace strata

/// The one function of a plug-in: `STRATA_PLUGIN(rows) { rows.add(my_kind()); }`. In a program linked with
/// Strata::cli the same text adds rows to the shipped ones.
#define STRATA_PLUGIN(rows)                                                              \
  extern "C" {                                                                           \
  extern const ::strata::PluginMark strata_plugin_mark;                                  \
  [[gnu::used]] const ::strata::PluginMark strata_plugin_mark = ::strata::plugin_mark(); \
  void strata_plugin_rows(::strata::PluginRows& rows);                                   \
  }                                                                                      \
  void strata_plugin_rows(::strata::PluginRows& rows)
