#include "platforms/cli/default_out.h"

#include <cctype>
#include <filesystem>
#include <string_view>

#include "platforms/engine/netlist/data_folders.h"
#include "platforms/engine/netlist/netlist.h"
#include "platforms/report/digest.h"

namespace strata::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_word = 80;

std::string short_hash(const std::string& text) {
  return platforms::digest_text(platforms::text_digest(text)).substr(0, 8);
}

bool starts(const std::string& text, std::string_view with) {
  return text.rfind(with, 0) == 0;
}

/// A file or folder, named by its path from here (from the root if it lies elsewhere), joined by dots: traces
/// of one name in several folders are different traces. A sample is named by its name alone.
std::string place_word(const std::string& trace) {
  fs::path path = fs::absolute(trace).lexically_normal();
  if (path.filename().empty() || starts(path.filename().string(), "kernelslist")) path = path.parent_path();
  const fs::path from_here = path.lexically_relative(fs::current_path());
  const bool elsewhere = from_here.empty() || *from_here.begin() == "..";
  std::string words = (elsewhere ? path.relative_path() : from_here).parent_path().string();
  if (!words.empty()) words += '/';
  constexpr std::string_view samples = "traces/samples/";
  if (starts(words, samples)) words.erase(0, samples.size());
  const std::string name = path.filename().string();
  words += name.substr(0, name.find('.'));
  if (words.size() <= longest_word) return words;
  return name.substr(0, longest_word / 2) + "-" + short_hash(words);
}

/// A word for a directory name that identifies the trace, without endings.
std::string trace_word(const std::string& trace) {
  const bool workload = starts(trace, "workload:");
  std::string word = workload ? trace.substr(9) : trace;  // gemm@quick becomes gemm-quick
  const bool named = starts(trace, "synthetic:") || (workload && trace.find('/') == std::string::npos);
  if (!named) word = place_word(word);
  for (char& c : word)
    if (c == '/' && !named)
      c = '.';
    else if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '-')
      c = '-';
  return word.empty() ? "trace" : word;
}

/// Of the shipped platforms, only the first of a name is called by that name alone: `shared` is
/// isca19/shared.
bool owns_its_word(const std::string& platform_file) {
  const std::string word = fs::path(platform_file).stem().string();
  std::error_code ignored;
  for (const std::string& name : platforms::platform_names())
    if (fs::path(name).stem().string() == word)
      return fs::equivalent(platforms::find_platform(name), platform_file, ignored);
  return true;
}

/// The configuration, and the settings that it does not contain.
std::string machine_text(const platforms::ResolvedNetlist& netlist, const std::string& seed) {
  std::string text = platforms::effective_configuration(netlist) + "seed " + seed + "\nlt ";
  for (const platforms::ResolvedGroup& group : netlist.groups)
    for (const platforms::ResolvedMember& member : group.members)
      text += member.rtl != nullptr ? '2' : member.lt ? '1' : '0';
  return text + "\n";
}

}  // namespace

std::string DefaultOut::path(const Arguments& arguments, const platforms::ResolvedNetlist& netlist) const {
  std::string name = start + fs::path(platform_file).stem().string();
  for (const std::string& trace : traces) name += (&trace == traces.data() ? "-" : "+") + trace_word(trace);
  const auto seed_of = [](const platforms::ResolvedNetlist& of) {
    return std::to_string(of.run.seed.value_or(platforms::default_seed));
  };
  const platforms::ResolvedNetlist plain_netlist = platforms::Netlist::load(platform_file).resolve();
  std::string text = machine_text(netlist, arguments.has("seed") ? arguments.text("seed") : seed_of(netlist));
  std::string plain = machine_text(plain_netlist, seed_of(plain_netlist));
  for (const std::string& option : options) {
    text += option + " " + arguments.text(option) + "\n";
    plain += option + " " + arguments.standard(option) + "\n";
  }
  for (const std::string& other : netlists) text += other + "\n";
  if (text == plain && owns_its_word(platform_file)) return name;
  for (const std::string& trace : traces) text += trace + "\n";
  return name + "-" + short_hash(text);
}

}  // namespace strata::cli
