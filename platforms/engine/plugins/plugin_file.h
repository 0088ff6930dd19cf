#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/engine/plugins/plugin.h"

namespace strata::platforms {

/// A loaded plug-in. Its code stays until the process ends, because objects made from its rows may still use
/// it.
class PluginFile {
 public:
  /// Throws ConfigError with one sentence if the file is not a plug-in, was built for another Strata, or has
  /// incomplete rows.
  static std::shared_ptr<const PluginFile> load(const std::string& file);

  const std::string& path() const { return path_; }      ///< absolute path
  const std::string& digest() const { return digest_; }  ///< FNV-1a hash of the file, 16 hexadecimal digits
  const PluginRows& rows() const { return rows_; }

 private:
  PluginFile() = default;
  std::string path_, digest_;
  PluginRows rows_;
};

using PluginFiles = std::vector<std::shared_ptr<const PluginFile>>;

/// Rows of the program itself if it has a STRATA_PLUGIN; otherwise none.
const PluginRows& program_rows();

/// Why a plug-in with this mark cannot be loaded; empty: it can.
std::string objection_to(const PluginMark& mark);

/// What is wrong with the rows alone: a missing hook, a duplicate name. Empty: nothing.
std::string objection_to(const PluginRows& rows);

/// RTL designs for a kind of module; those of the program come first.
std::vector<const RtlDesign*> rtl_designs(const PluginFiles& plugins, std::string_view module);

/// The kind of `NAME:SPEC` in the program and in `plugins`; null: none matches.
const TraceKind* find_trace_kind(const PluginFiles& plugins, std::string_view trace);

}  // namespace strata::platforms
