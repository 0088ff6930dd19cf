#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace strata::platforms {

/// A kind of plug-in that `strata new-plugin` writes. Its source is templates/NAME.cpp, in which `my_plugin`
/// stands for the name of the plug-in and `MyPlugin` for that of its class.
struct NewPluginKind {
  std::string_view name;
  std::string_view summary;    ///< what it decides or is
  std::string_view interface;  ///< header with the contract
  std::string_view functions;  ///< how many it must write, or must and may
  std::string_view platform;   ///< where its test runs
  std::string_view netlist;    ///< what uses it there, in YAML, behind its key `plugins`
  std::string_view set;        ///< the same as a setting; empty: it takes more than one
  std::string_view trace;
  bool (*is_taken)(std::string_view name);  ///< Strata has one of this name
};

/// The table, in the order of the docs.
const std::vector<NewPluginKind>& new_plugin_kinds();

/// The row of that name, with `-` or `_` between its words. Throws ConfigError with the nearest name when
/// there is none.
const NewPluginKind& new_plugin_kind(const std::string& name);

/// Source of a kind with its placeholders.
std::string_view plugin_text(std::string_view kind);

/// Writes a plug-in into a folder, which is made if need be: source, CMakeLists.txt and a netlist file that
/// uses it. Returns their paths. Throws ConfigError when the name cannot be one, or a file is there.
std::vector<std::string> write_plugin(const NewPluginKind& kind, const std::string& name,
                                      const std::string& folder);

}  // namespace strata::platforms
