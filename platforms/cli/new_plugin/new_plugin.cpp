#include "platforms/cli/new_plugin/new_plugin.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>

#include "models/common/faults.h"
#include "models/common/text.h"

namespace strata::platforms {
namespace {

constexpr std::size_t longest_name = 40;
// Targets that CMake keeps to itself.
constexpr std::string_view reserved[] = {"all",     "clean",   "edit_cache",    "help",
                                         "install", "package", "rebuild_cache", "test"};

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

/// fast_path -> FastPath
std::string class_name(const std::string& name) {
  std::string text;
  bool begins = true;
  for (const char c : name) {
    if (c != '_') text += static_cast<char>(begins ? std::toupper(static_cast<unsigned char>(c)) : c);
    begins = c == '_';
  }
  return text;
}

std::string filled(std::string_view with_placeholders, const std::string& name) {
  std::string text(with_placeholders);
  replace_all(text, "my_plugin", name);
  replace_all(text, "MyPlugin", class_name(name));
  return text;
}

void check_name(const NewPluginKind& kind, const std::string& name) {
  const auto refuse = [&](const std::string& why) { throw ConfigError("new-plugin: '" + name + "' " + why); };
  const bool is_word = !name.empty() && name.size() <= longest_name && std::islower(name.front()) != 0 &&
                       std::all_of(name.begin(), name.end(), [](unsigned char c) {
                         return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '_';
                       });
  if (!is_word)
    refuse("cannot be a name; allowed: a small letter, then small letters, digits and '_', as in fast_path");
  if (std::find(std::begin(reserved), std::end(reserved), name) != std::end(reserved))
    refuse("is a target of CMake itself; choose another name");
  if (kind.is_taken(name)) refuse("is a " + std::string(kind.name) + " of Strata; choose another name");
}

std::string cmake_lists(const NewPluginKind& kind, const std::string& name) {
  return filled(
      "# cmake -S . -B build && cmake --build build && cmake --build build --target test\n"
      "# The folder must be `build`: my_plugin.yaml names build/my_plugin.so.\n"
      "cmake_minimum_required(VERSION 3.18)\n"
      "project(my_plugin LANGUAGES CXX)\n"
      "find_package(Strata REQUIRED)\n"
      "strata_add_plugin(my_plugin my_plugin.cpp)\n"
      "\n"
      "# A run in which everything is checked: that the plug-in is used, its protocol and the laws of its "
      "figures.\n"
      "enable_testing()\n"
      "add_test(NAME my_plugin COMMAND ${Strata_PROGRAM} run " +
          std::string(kind.platform) + " --with my_plugin.yaml --trace " + std::string(kind.trace) +
          "\n  --check-protocol --quiet --out ${CMAKE_CURRENT_BINARY_DIR}/results WORKING_DIRECTORY "
          "${CMAKE_CURRENT_SOURCE_DIR})\n",
      name);
}

std::string netlist_text(const NewPluginKind& kind, const std::string& name) {
  return filled("# strata run " + std::string(kind.platform) + " --with my_plugin.yaml --trace " +
                    std::string(kind.trace) + "\nplugins: build/my_plugin.so\n" + std::string(kind.netlist),
                name);
}

}  // namespace

const NewPluginKind& new_plugin_kind(const std::string& name) {
  std::string word = name;
  std::replace(word.begin(), word.end(), '-', '_');
  std::vector<std::string> names;
  for (const NewPluginKind& kind : new_plugin_kinds()) {
    if (kind.name == word) return kind;
    names.emplace_back(kind.name);
  }
  const std::string hint = suggestion(word, names);
  throw ConfigError("new-plugin: no kind '" + name + "'" +
                    (hint.empty() ? "; allowed: " + comma_list(names) : hint));
}

std::vector<std::string> write_plugin(const NewPluginKind& kind, const std::string& name,
                                      const std::string& folder) {
  check_name(kind, name);
  const std::filesystem::path place(folder);
  const std::pair<std::filesystem::path, std::string> files[] = {
      {place / (name + ".cpp"), filled(plugin_text(kind.name), name)},
      {place / "CMakeLists.txt", cmake_lists(kind, name)},
      {place / (name + ".yaml"), netlist_text(kind, name)}};
  for (const auto& [file, text] : files)
    if (std::filesystem::exists(std::filesystem::symlink_status(file)))
      throw ConfigError("new-plugin: " + file.string() + " is there; nothing was written");
  std::error_code error;
  std::filesystem::create_directories(place, error);
  if (error) throw ConfigError("new-plugin: cannot make the folder " + folder + ": " + error.message());
  std::vector<std::string> written;
  for (const auto& [file, text] : files) {
    std::ofstream out(file, std::ios::binary);
    out << text;
    if (!out.flush()) throw ConfigError("new-plugin: cannot write " + file.string());
    written.push_back(file.string());
  }
  return written;
}

}  // namespace strata::platforms
