#include "platforms/cli/default_out.h"

#include <cctype>
#include <filesystem>

#include "platforms/netlist/data_folders.h"
#include "platforms/netlist/netlist.h"
#include "platforms/report/digest.h"

namespace strata::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t hash_digits = 8;

/// A word for a directory name: the last folder or file that says something, without endings.
std::string trace_word(const std::string& trace) {
  std::string word;
  if (trace.rfind("synthetic:", 0) == 0) {
    word = trace;
  } else if (trace.rfind("workload:", 0) == 0 && trace.find('/') == std::string::npos) {
    word = trace.substr(9);  // gemm@quick becomes gemm-quick
  } else {
    const fs::path path = fs::absolute(trace).lexically_normal();
    word = path.filename().string();
    if (word.empty() || word.rfind("kernelslist", 0) == 0) word = path.parent_path().filename().string();
    word = word.substr(0, word.find('.'));
  }
  for (char& c : word)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '-') c = '-';
  return word.empty() ? "trace" : word;
}

/// Of the platforms that Strata comes with, `shared` alone is the first of that name: isca19/shared.
bool owns_its_word(const std::string& platform_file) {
  const std::string word = fs::path(platform_file).stem().string();
  std::error_code ignored;
  for (const std::string& name : platforms::platform_names())
    if (fs::path(name).stem().string() == word)
      return fs::equivalent(platforms::find_platform(name), platform_file, ignored);
  return true;
}

/// The configuration, and what it does not write down.
std::string machine_text(const platforms::ResolvedNetlist& netlist, const std::string& seed) {
  std::string text = platforms::effective_configuration(netlist) + "seed " + seed + "\nlt ";
  for (const platforms::ResolvedGroup& group : netlist.groups)
    for (const platforms::ResolvedMember& member : group.members) text += member.lt ? '1' : '0';
  return text + "\n";
}

}  // namespace

std::string DefaultOut::path(const Arguments& arguments, const platforms::ResolvedNetlist& netlist) const {
  std::string name = start + fs::path(platform_file).stem().string();
  for (const std::string& trace : traces) name += (&trace == traces.data() ? "-" : "+") + trace_word(trace);
  const auto seed_of = [](const platforms::ResolvedNetlist& of) {
    return std::to_string(of.run.seed.value_or(1));
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
  return name + "-" + platforms::digest_text(platforms::text_digest(text)).substr(0, hash_digits);
}

}  // namespace strata::cli
