#include "platforms/report/results_reader.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

#include "models/common/faults.h"
#include "models/common/input_file.h"
#include "models/common/ledger_places.h"
#include "platforms/report/json_text.h"
#include "platforms/report/results_files.h"

namespace strata::platforms {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string path_of(const std::string& directory) {
  return (fs::path(directory) / "stats.json").string();
}

std::string found(const Json& json) {
  if (json.is_number() || json.is_boolean() || json.is_null()) return json.dump();
  if (json.is_string()) return "'" + json.get<std::string>() + "'";
  return json.is_array() ? "a list" : "an object";
}

/// A value and its position: `ledger.loads.accesses`.
class Checked {
 public:
  Checked(const Json& json, std::string file, std::string key)
      : json_(json), file_(std::move(file)), key_(std::move(key)) {}

  Checked at(const std::string& name) const {
    object();
    const auto member = json_.find(name);
    const std::string key = key_.empty() ? name : key_ + "." + name;
    if (member == json_.end()) throw ConfigError(Faults{{{file_, 0, 0}, key + ": is missing"}});
    return {*member, file_, key};
  }
  bool has(const char* name) const { return json_.contains(name); }

  void object() const { expect(json_.is_object(), "an object"); }
  void number() const { expect(json_.is_number(), "a number"); }
  void number_or_null() const { expect(json_.is_number() || json_.is_null(), "a number or null"); }
  void whole() const { expect(json_.is_number_integer(), "a whole number"); }
  void text() const { expect(json_.is_string(), "a text"); }
  void flag() const { expect(json_.is_boolean(), "true or false"); }
  void text_or_null() const { expect(json_.is_string() || json_.is_null(), "a text or null"); }
  bool is_less_than(int wanted) const { return json_.is_number_integer() && json_ < wanted; }
  void is(const Json& wanted) const { expect(json_ == wanted, found(wanted)); }

  template <class Check>
  void each_member(Check check) const {
    object();
    for (const auto& [name, value] : json_.items()) check(name, Checked(value, file_, key_ + "." + name));
  }
  template <class Check>
  void each_element(Check check) const {
    expect(json_.is_array(), "a list");
    for (std::size_t i = 0; i < json_.size(); ++i)
      check(Checked(json_[i], file_, key_ + "[" + std::to_string(i) + "]"));
  }
  [[noreturn]] void refuse(const std::string& why) const {
    throw ConfigError(Faults{{{file_, 0, 0}, (key_.empty() ? "" : key_ + ": ") + why}});
  }

 private:
  void expect(bool holds, const std::string& wanted) const {
    if (!holds) refuse("expected " + wanted + ", found " + found(json_));
  }
  const Json& json_;
  std::string file_, key_;
};

void check_figures(const Checked& figures) {
  figures.each_member([](const std::string&, const Checked& value) { value.number_or_null(); });
}

void check_texts(const Checked& list) {
  list.each_element([](const Checked& text) { text.text(); });
}

void check_group(const Checked& group) {
  static const std::vector<std::string> causes = [] {
    std::vector<std::string> names;
    for (int c = 0; c < cause_count; ++c) names.emplace_back(to_text(static_cast<Cause>(c)));
    return names;
  }();
  group.at("accesses").number();
  group.at("latency").number();
  group.at("cycles").each_member([](const std::string& name, const Checked& value) {
    value.number();
    const PlaceName parts = split_place(name);
    if (parts.place.empty() || !cause_called(parts.cause))
      value.refuse("no place and cause of a ledger, as in noc.request_queue" +
                   suggestion(parts.cause, causes));
  });
  group.at("latency_histogram").at("buckets").each_element([](const Checked& bucket) { bucket.number(); });
}

void check_run(const Checked& run) {
  run.at("exit_code").whole();
  run.at("trace").text();
  for (const char* name : {"platform", "strata_version"})
    if (run.has(name)) run.at(name).text();
  for (const char* name : {"seed", "max_instructions"})
    if (run.has(name)) run.at(name).number_or_null();
}

void check_instance(const Checked& instance) {
  instance.at("module").text();
  if (instance.has("counters"))
    instance.at("counters").each_member([](const std::string&, const Checked& value) { value.number(); });
}

void check(const Checked& stats) {
  stats.object();
  if (!stats.has("schema")) stats.refuse("not the results of a Strata run: it has no 'schema'");
  stats.at("schema").is("strata-results");
  const Checked version = stats.at("schema_version");
  if (version.is_less_than(results_schema_version))
    version.refuse("written by an older version of Strata; this one reads " +
                   std::to_string(results_schema_version) + ": run it again");
  version.is(results_schema_version);
  stats.at("partial").flag();
  stats.at("reason").text_or_null();
  stats.at("digest").text();
  check_run(stats.at("run"));
  check_figures(stats.at("summary"));
  if (stats.has("summary_units"))
    stats.at("summary_units").each_member([](const std::string&, const Checked& unit) { unit.text(); });
  if (stats.has("summary_gaps")) check_texts(stats.at("summary_gaps"));
  if (stats.has("applications"))
    stats.at("applications").each_element([](const Checked& one) { check_figures(one.at("summary")); });
  stats.at("ledger").at("loads");
  stats.at("ledger_places").each_member([](const std::string&, const Checked& role) { role.text(); });
  stats.at("ledger").each_member([](const std::string&, const Checked& group) { check_group(group); });
  stats.at("instances").each_member([](const std::string&, const Checked& one) { check_instance(one); });
}

/// Position of byte number `byte` of a text.
SourcePosition position(const std::string& file, const std::string& text, std::size_t byte) {
  const std::size_t end = std::min(byte == 0 ? 0 : byte - 1, text.size());
  const auto stop = text.begin() + static_cast<std::ptrdiff_t>(end);
  const auto line = std::count(text.begin(), stop, '\n') + 1;
  const std::size_t begin = end == 0 ? std::string::npos : text.rfind('\n', end - 1);
  const std::size_t column = begin == std::string::npos ? end + 1 : end - begin;
  return {file, static_cast<int>(line), static_cast<int>(column)};
}

std::string contents(const std::string& file) {
  try {
    return read_input(file);
  } catch (const InputError& error) {
    throw ConfigError(Faults{{{file, 0, 0}, error.what()}});
  }
}

/// The text without an unneeded member, which is cut out in the form that Strata writes.
std::string without(const std::string& member, const std::string& text) {
  constexpr std::string_view end = "\n },\n";
  const std::size_t from = text.find("\n \"" + member + "\": {\n");
  const std::size_t to = from == std::string::npos ? from : text.find(end, from);
  if (to == std::string::npos) return text;
  return text.substr(0, from) + text.substr(to + end.size() - 1);
}

/// Half of the text defines figures; it is not needed here.
Json parse(const std::string& file, const std::string& text, bool verdict) {
  const std::string shorter = without("definitions", text);
  Json needed = parsed_json(verdict ? shorter : without("verdict", shorter));
  if (!needed.is_null()) return needed;
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    throw ConfigError(Faults{{position(file, text, error.byte), "not valid JSON here"}});
  } catch (const Json::exception&) {  // the error has no position
    throw ConfigError(Faults{{{file, 0, 0}, "a number in it is too large"}});
  }
}

}  // namespace

bool has_results(const std::string& directory) {
  std::error_code ignored;
  return fs::exists(path_of(directory), ignored);
}

namespace {

Json read(const std::string& directory, bool verdict) {
  std::error_code ignored;
  if (!fs::exists(directory, ignored)) throw ConfigError(directory + ": no such directory");
  const std::string path = path_of(directory);
  if (!has_results(directory))
    throw ConfigError(directory + ": no results here (there is no stats.json in it)");
  Json stats = parse(path, contents(path), verdict);
  check({stats, path, ""});
  return stats;
}

}  // namespace

Json read_results(const std::string& directory) {
  return read(directory, true);
}

Json read_results_without_verdict(const std::string& directory) {
  return read(directory, false);
}

double required_figure(const Json& stats, const std::string& directory, const std::string& name) {
  const Checked figure = Checked(stats, path_of(directory), "").at("summary").at(name);
  figure.number();
  return stats["summary"][name].get<double>();
}

}  // namespace strata::platforms
