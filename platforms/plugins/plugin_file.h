#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/plugins/plugin.h"

namespace strata::platforms {

/// A plug-in that was loaded. Its code stays until the process ends: whoever made something of its rows may
/// still use it.
class PluginFile {
 public:
  /// Throws ConfigError with one sentence when the file is none, was built for another Strata, or its rows
  /// are not whole.
  static std::shared_ptr<const PluginFile> load(const std::string& file);

  const std::string& path() const { return path_; }      ///< absolute
  const std::string& digest() const { return digest_; }  ///< of its bytes: FNV-1a, 16 hexadecimal digits
  const PluginRows& rows() const { return rows_; }

 private:
  PluginFile() = default;
  std::string path_, digest_;
  PluginRows rows_;
};

using PluginFiles = std::vector<std::shared_ptr<const PluginFile>>;

/// Rows of the program itself, when it has a STRATA_PLUGIN; else none.
const PluginRows& program_rows();

/// Why a plug-in with this mark cannot be loaded; empty: it can.
std::string objection_to(const PluginMark& mark);

/// What is wrong with rows of themselves: a hook that is missing, a name twice. Empty: nothing.
std::string objection_to(const PluginRows& rows);

/// Designs in RTL for a kind of module, those of the program first.
std::vector<const RtlDesign*> rtl_designs(const PluginFiles& plugins, std::string_view module);

/// The kind of `NAME:SPEC` among those of the program and of `plugins`; null: none of theirs.
const TraceKind* find_trace_kind(const PluginFiles& plugins, std::string_view trace);

}  // namespace strata::platforms
