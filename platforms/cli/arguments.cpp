#include "platforms/cli/arguments.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <thread>
#include <unistd.h>

#include "models/common/faults.h"
#include "models/common/units.h"
#include "platforms/engine/netlist/data_folders.h"

namespace strata::cli {

Arguments::Arguments(std::string usage, std::string about, std::string examples)
    : usage_(std::move(usage)),
      about_(std::move(about)),
      examples_(std::move(examples)),
      options_("options", 110) {
  options_.add_options()("help,h", "print this text");
}

void Arguments::refuse_unknown(const std::string& option) const {
  std::vector<std::string> known;
  for (const auto& described : options_.options()) known.push_back("--" + described->long_name());
  throw ConfigError("no option '" + option + "'" + suggestion(option, known) + "; see strata " +
                    usage_.substr(0, usage_.find(' ')) + " --help");
}

bool Arguments::read(const std::vector<std::string>& arguments, std::size_t least, std::size_t most) {
  po::options_description all;
  all.add(options_).add_options()("word", po::value<std::vector<std::string>>());
  po::positional_options_description positions;
  positions.add("word", -1);
  // Options must not be abbreviated: a script would change its meaning when an option is added.
  const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
  try {
    po::store(po::command_line_parser(arguments).options(all).positional(positions).style(style).run(),
              values_);
    po::notify(values_);
  } catch (const po::unknown_option& error) {
    refuse_unknown(error.get_option_name());
  } catch (const po::error& error) {
    throw ConfigError(std::string(error.what()) + "; see strata " + usage_.substr(0, usage_.find(' ')) +
                      " --help");
  }
  if (has("help")) {
    std::cout << "usage: strata " << usage_ << "\n\n"
              << about_ << "\n\n"
              << options_ << "\nexamples:\n"
              << examples_;
    return false;
  }
  if (has("word")) words_ = get<std::vector<std::string>>("word");
  if (words_.size() < least) throw ConfigError("something is missing; usage: strata " + usage_);
  if (words_.size() > most)
    throw ConfigError("one word too many: '" + words_[most] + "'; usage: strata " + usage_);
  return true;
}

std::string Arguments::text(const std::string& option) const {
  if (values_.count(option) == 0) return {};
  const auto* value = boost::any_cast<std::string>(&values_[option].value());
  return value != nullptr ? *value : "yes";
}

std::string Arguments::standard(const std::string& option) const {
  boost::any value;
  if (!options_.find(option, false).semantic()->apply_default(value)) return {};
  return boost::any_cast<std::string>(value);
}

std::uint64_t whole_number(const std::string& option, const std::string& text, std::uint64_t least) {
  const auto value = parse_integer(text);
  if (!value || *value < 0 || static_cast<std::uint64_t>(*value) < least)
    throw ConfigError("--" + option + ": '" + text + "' is not a whole number of at least " +
                      std::to_string(least));
  return static_cast<std::uint64_t>(*value);
}

std::string seed_help() {
  return "seed of everything random; default: run.seed of the netlist, or " +
         std::to_string(platforms::default_seed);
}

int jobs_of(const Arguments& arguments) {
  if (!arguments.has("jobs")) return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const std::uint64_t jobs = whole_number("jobs", arguments.get<std::string>("jobs"), 1);
  if (jobs > 1024) throw ConfigError("--jobs: at most 1024");
  return static_cast<int>(jobs);
}

std::string program_of(const Arguments& arguments) {
  const std::string program =
      arguments.has("program") ? arguments.get<std::string>("program") : "/proc/self/exe";
  if (::access(program.c_str(), X_OK) != 0)
    throw ConfigError("--program " + program + ": no program that can be started");
  return program;
}

std::string require_platform(const std::string& name) {
  const std::string path = platforms::find_platform(name);
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) return path;
  const std::vector<std::string> names = platforms::platform_names();
  std::string text = "no platform '" + name + "': no such file";
  const std::string near = suggestion(name, names);
  if (!near.empty()) throw ConfigError(text + near);
  text += ", and Strata comes with none of that name; it comes with";
  for (std::size_t i = 0; i < names.size(); ++i) text += (i == 0 ? " " : ", ") + names[i];
  throw ConfigError(text);
}

std::vector<std::string> require_platforms(const std::string& name, const std::vector<std::string>& with) {
  std::vector<std::string> files = {require_platform(name)};
  for (const std::string& one : with) {
    const std::string path = platforms::find_platform(one);
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored))
      throw ConfigError("--with " + one + ": no such file, and Strata comes with no netlist of that name" +
                        suggestion(one, platforms::variant_names()));
    files.push_back(path);
  }
  return files;
}

void add_plugin_option(Arguments& arguments) {
  arguments.options().add_options()(
      "plugin", po::value<std::vector<std::string>>(),
      "a plug-in: modules and kinds of traces of your own (docs/guide/plugins.md); may be repeated");
}

std::vector<std::string> settings(const Arguments& arguments) {
  std::vector<std::string> sets;
  if (arguments.has("plugin"))
    for (const std::string& file : arguments.get<std::vector<std::string>>("plugin"))
      sets.push_back("plugins=" + file);
  if (arguments.has("set"))
    for (const std::string& set : arguments.get<std::vector<std::string>>("set")) sets.push_back(set);
  return sets;
}

platforms::Netlist known_by(const Arguments& arguments) {
  platforms::Netlist netlist;
  if (arguments.has("plugin"))
    for (const std::string& file : arguments.get<std::vector<std::string>>("plugin"))
      netlist.add_plugin(file);
  return netlist;
}

}  // namespace strata::cli
