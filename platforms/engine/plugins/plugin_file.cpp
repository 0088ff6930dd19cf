#include "platforms/engine/plugins/plugin_file.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>

#include "models/common/faults.h"
#include "models/common/input_file.h"
#include "platforms/report/fnv_hash.h"

extern "C" [[gnu::weak]] void strata_plugin_rows(strata::PluginRows& rows);

namespace strata::platforms {
namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;
constexpr const char hook_name[] = "strata_plugin_rows";

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  throw ConfigError("plug-in '" + file + "': " + why);
}

std::string hexadecimal(std::uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

/// A text of a mark; the file may be damaged.
template <std::size_t size>
std::string text_of(const char (&field)[size]) {
  return {field, std::find(field, field + size, '\0')};
}

PluginMark mark_in(const std::string& bytes, const std::string& file) {
  constexpr PluginMark own = plugin_mark();
  const std::size_t at = bytes.find(std::string(own.magic, sizeof own.magic));
  if (at == std::string::npos || bytes.size() - at < sizeof own)
    refuse(file, "is no plug-in: no STRATA_PLUGIN is in it; docs/guide/plugins.md says how one is built");
  PluginMark mark;
  std::memcpy(&mark, bytes.data() + at, sizeof mark);
  return mark;
}

bool is_word(std::string_view name) {
  return !name.empty() && std::isalpha(static_cast<unsigned char>(name.front())) != 0 &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
}

std::string objection_to(const ModuleKind& kind) {
  const std::string name(kind.name);
  if (!is_word(name))
    return "a module is called '" + name + "'; allowed: a letter, then letters, digits and '_'";
  const char* missing = kind.new_params == nullptr  ? "new_params"
                        : kind.ports == nullptr     ? "ports"
                        : kind.make == nullptr      ? "make"
                        : kind.new_stats == nullptr ? "new_stats"
                                                    : nullptr;
  return missing == nullptr ? "" : "its module '" + name + "' lacks the hook " + missing;
}

std::string objection_to(const TraceKind& kind) {
  const std::string name(kind.name);
  if (!is_word(name))
    return "a kind of trace is called '" + name + "'; allowed: a letter, then letters, digits and '_'";
  if (name == "synthetic" || name == "workload")
    return "its kind of trace '" + name + "' has a name that Strata uses itself";
  return kind.open == nullptr ? "its kind of trace '" + name + "' lacks the hook open" : "";
}

std::string objection_to(const RtlDesign& design) {
  const std::string name(design.name);
  if (!is_word(name))
    return "a design is called '" + name + "'; allowed: a letter, then letters, digits and '_'";
  return design.make == nullptr ? "its design '" + name + "' lacks the hook make" : "";
}

std::string objection_to(const PluginPolicy& policy) {
  const std::string name(policy.name), kind(policy.kind);
  if (!is_word(name))
    return "a " + kind + " is called '" + name + "'; allowed: a letter, then letters, digits and '_'";
  if (!policy.whole) return "its " + kind + " '" + name + "' lacks the hook make";
  return policy.fits() ? ""
                       : "brings a " + kind + " that this program or another plug-in has too: '" + name +
                             "'; give it a name of its own";
}

template <class Kind>
bool are_one(const Kind& a, const Kind& b) {
  return a.name == b.name;
}
bool are_one(const RtlDesign& a, const RtlDesign& b) {
  return a.name == b.name && a.module == b.module;
}

bool are_one(const PluginPolicy& a, const PluginPolicy& b) {
  return a.name == b.name && a.kind == b.kind;
}

template <class Kind>
std::string objection_to_all(const std::deque<Kind>& kinds, const char* what) {
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const std::string why = objection_to(kinds[i]);
    if (!why.empty()) return why;
    for (std::size_t j = 0; j < i; ++j)
      if (are_one(kinds[j], kinds[i]))
        return "brings " + std::string(what) + " '" + std::string(kinds[i].name) + "' twice";
  }
  return "";
}

const TraceKind* find_in(const PluginRows& rows, std::string_view name) {
  for (const TraceKind& kind : rows.traces())
    if (kind.name == name) return &kind;
  return nullptr;
}

}  // namespace

std::string objection_to(const PluginMark& mark) {
  constexpr PluginMark own = plugin_mark();
  const std::string again = "; build it again with this Strata's headers";
  if (text_of(mark.abi) != own.abi)
    return "was built for version " + text_of(mark.abi) +
           " of the plug-in interface, and this program has version " + own.abi + again;
  if (text_of(mark.systemc) != own.systemc)
    return "was built with SystemC " + text_of(mark.systemc) + ", and this program with " + own.systemc +
           again;
  if (text_of(mark.compiler) != own.compiler)
    return "was built by " + text_of(mark.compiler) + ", and this program by " + own.compiler +
           "; build it again with this program's compiler";
  if (mark.layout != own.layout) return "was built with headers of another Strata" + again;
  return "";
}

std::string objection_to(const PluginRows& rows) {
  if (rows.modules().empty() && rows.traces().empty() && rows.designs().empty() && rows.policies().empty())
    return "brings neither a module nor a kind of trace nor a design nor a policy";
  std::string why = objection_to_all(rows.modules(), "the module");
  if (why.empty()) why = objection_to_all(rows.traces(), "the kind of trace");
  if (why.empty()) why = objection_to_all(rows.designs(), "the design");
  return why.empty() ? objection_to_all(rows.policies(), "the policy") : why;
}

std::shared_ptr<const PluginFile> PluginFile::load(const std::string& file) {
  if (file.empty()) throw ConfigError("plug-in: the name of the file is empty");
  std::string bytes;
  try {
    bytes = read_input(file, most_bytes);
  } catch (const InputError& error) {
    refuse(file, std::string("cannot be read: ") + error.what());
  }
  const std::string objection = objection_to(mark_in(bytes, file));
  if (!objection.empty()) refuse(file, objection);
  std::shared_ptr<PluginFile> plugin(new PluginFile);
  plugin->path_ = std::filesystem::canonical(file).string();
  FnvHash hash;
  hash.bytes(bytes);
  plugin->digest_ = hexadecimal(hash.value());
  void* const library = ::dlopen(plugin->path_.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) refuse(file, std::string("cannot be loaded: ") + ::dlerror());
  const auto hook = reinterpret_cast<void (*)(PluginRows&)>(::dlsym(library, hook_name));
  if (hook == nullptr)
    refuse(file, std::string("lacks the function ") + hook_name + " that STRATA_PLUGIN makes");
  try {
    hook(plugin->rows_);
  } catch (const std::exception& error) {
    refuse(file, std::string("its STRATA_PLUGIN fails: ") + error.what());
  }
  const std::string fault = objection_to(plugin->rows_);
  if (!fault.empty()) refuse(file, fault);
  for (const PluginPolicy& policy : plugin->rows_.policies()) policy.add();
  return plugin;
}

const PluginRows& program_rows() {
  static const PluginRows rows = [] {
    PluginRows own;
    if (strata_plugin_rows != nullptr) strata_plugin_rows(own);
    for (const PluginPolicy& policy : own.policies()) {
      const std::string fault = objection_to(policy);
      if (!fault.empty()) throw ConfigError("this program: " + fault);
      policy.add();
    }
    return own;
  }();
  return rows;
}

std::vector<const RtlDesign*> rtl_designs(const PluginFiles& plugins, std::string_view module) {
  std::vector<const RtlDesign*> designs;
  const auto take = [&](const PluginRows& rows) {
    for (const RtlDesign& design : rows.designs())
      if (design.module == module) designs.push_back(&design);
  };
  take(program_rows());
  for (const auto& plugin : plugins) take(plugin->rows());
  return designs;
}

const TraceKind* find_trace_kind(const PluginFiles& plugins, std::string_view trace) {
  const std::size_t colon = trace.find(':');
  if (colon == std::string_view::npos) return nullptr;
  const std::string_view name = trace.substr(0, colon);
  if (const TraceKind* kind = find_in(program_rows(), name)) return kind;
  for (const auto& plugin : plugins)
    if (const TraceKind* kind = find_in(plugin->rows(), name)) return kind;
  return nullptr;
}

}  // namespace strata::platforms
