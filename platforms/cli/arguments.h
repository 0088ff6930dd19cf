#pragma once

#include <boost/program_options.hpp>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "platforms/engine/netlist/netlist.h"

namespace strata::cli {

namespace po = boost::program_options;

/// A verb of the program: `strata run ...`.
struct Verb {
  const char* name;
  const char* summary;
  int (*run)(const std::vector<std::string>& arguments);
};

/// Arguments of one verb: named options, and words in the order given.
class Arguments {
 public:
  /// `usage`: the line after "usage: strata "; `examples`: shown by --help.
  Arguments(std::string usage, std::string about, std::string examples);

  po::options_description& options() { return options_; }
  /// Returns false if help was requested and printed. Throws ConfigError for an unknown option (with the
  /// nearest), a bad value, or fewer than `least` or more than `most` words.
  bool read(const std::vector<std::string>& arguments, std::size_t least, std::size_t most);

  const std::vector<std::string>& words() const { return words_; }
  /// The option is given; if it has a default, get() works without it too.
  bool has(const char* option) const { return values_.count(option) != 0 && !values_[option].defaulted(); }
  template <class T>
  T get(const char* option) const {
    return values_[option].as<T>();
  }
  /// The value of an option that takes at most one text: as given, or its default; "yes" for an option
  /// without a value.
  std::string text(const std::string& option) const;
  /// The default value of the option.
  std::string standard(const std::string& option) const;

 private:
  void refuse_unknown(const std::string& option) const;
  std::string usage_, about_, examples_;
  po::options_description options_;
  po::variables_map values_;
  std::vector<std::string> words_;
};

/// A text with a default, which --help shows: say it nowhere else, so that help and use cannot differ.
template <class Value>
auto text_or(const Value& standard) {
  if constexpr (std::is_arithmetic_v<Value>)
    return po::value<std::string>()->default_value(std::to_string(standard));
  else
    return po::value<std::string>()->default_value(standard);
}

/// Help of --seed, whose default is the netlist's.
std::string seed_help();

constexpr std::size_t any_number = static_cast<std::size_t>(-1);

/// The value of an option that is a whole number of at least `least`. Throws ConfigError.
std::uint64_t whole_number(const std::string& option, const std::string& text, std::uint64_t least);

/// --jobs, at most 1024; by default one per processor. Throws ConfigError.
int jobs_of(const Arguments& arguments);

/// --program: the build of strata that simulates; by default this one. Throws ConfigError.
std::string program_of(const Arguments& arguments);

/// The file of a platform. Throws ConfigError with the nearest shipped name if there is none.
std::string require_platform(const std::string& name);

/// The file of each --with: a netlist file, or one that Strata ships, such as `isca19/variants/hynix`.
std::vector<std::string> require_platforms(const std::string& name, const std::vector<std::string>& with);

/// --live of `strata run`: throws ConfigError with --quiet, or if stderr is no terminal.
void check_live(const Arguments& arguments);
/// --by-source of `strata run`: throws ConfigError with other options that watch the L1s.
void check_by_source(const Arguments& arguments);

/// --plugin FILE, for verbs that read netlists, list modules or open traces.
void add_plugin_option(Arguments& arguments);

/// --set values, after each --plugin FILE as the setting `plugins=FILE`.
std::vector<std::string> settings(const Arguments& arguments);

/// For verbs without a netlist: an empty netlist that knows the modules and plug-ins of --plugin.
platforms::Netlist known_by(const Arguments& arguments);

}  // namespace strata::cli
