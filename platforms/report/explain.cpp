#include "platforms/report/explain.h"

#include <algorithm>
#include <cctype>
#include <sstream>

#include "models/common/address_map.h"
#include "models/tlm/module_kind.h"
#include "platforms/engine/netlist/cache_arrays.h"
#include "platforms/engine/netlist/catalog.h"
#include "platforms/engine/netlist/data_folders.h"
#include "platforms/engine/netlist/netlist.h"
#include "platforms/engine/netlist/param_table.h"
#include "platforms/report/digest_names.h"
#include "platforms/report/epoch_series.h"
#include "platforms/report/explain_words.h"
#include "platforms/report/stat_table.h"
#include "platforms/report/summary.h"
#include "platforms/report/verdict.h"

namespace strata::platforms {
namespace {

constexpr std::size_t mentions_shown = 20;

struct Thing {
  std::string what;  ///< "parameter", "counter", ...
  std::string owner, name, sentence;
  std::string more = {};     ///< further lines, indented
  std::string choices = {};  ///< choices of a parameter
  std::string title() const { return what + " " + (owner.empty() ? "" : owner + ".") + name; }
  std::string text() const { return title() + ": " + sentence + "\n" + more; }
};
using Things = std::vector<Thing>;

char lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) { return lower(c); });
  return text;
}

/// True if `text` contains `word` without a letter, digit or (unless `in_names`) underscore beside it.
bool mentions(const std::string& text, const std::string& word, bool in_names = false) {
  const auto goes_on = [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || (c == '_' && !in_names);
  };
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !goes_on(text[at - 1])) && (end == text.size() || !goes_on(text[end]))) return true;
  }
  return false;
}

void add_params(ParamSet& params, const std::string& owner, Things& things) {
  for (const ParamRow& row : list_params(params)) {
    const std::string value = row.quoted && row.value.empty() ? "\"\"" : row.value;
    things.push_back({"parameter", owner, row.name, row.sentence,
                      "  default " + value + "; allowed: " + row.allowed +
                          (row.unit.empty() ? "" : " (" + row.unit + ")") + "\n",
                      row.allowed});
  }
}

template <class Rows>
void add_statistics(const char* what, const Rows& rows, const InstanceStats& of, Things& things) {
  for (const auto& row : rows) {
    std::string more = row.unit.empty() ? "" : "  unit: " + row.unit + "\n";
    for (const std::string& law : of.laws)
      if (mentions(law, row.name)) more += "  law: " + law + "\n";
    things.push_back({what, of.kind, row.name, row.sentence, more});
  }
}

/// Adds resources: names such as `smr.replies_in` in verdicts.
void add_resources(const std::string& owner, const Resources& resources, Things& things) {
  for (const Resource& one : resources) {
    const char* kind = one.kind == Resource::Kind::rate ? "busy by its uses over the most that are possible"
                       : one.kind == Resource::Kind::room
                           ? "full by the places that are taken in the mean"
                           : "capacity: too small by the misses that more would spare";
    std::string relief;
    for (const Resource::Relief& set : one.reliefs)
      relief += (relief.empty() ? "" : ", ") + std::string(set.param) + " " + std::string(set.change);
    things.push_back({"resource", owner, std::string(one.name), std::string(one.sentence),
                      std::string("  ") + kind + " (docs/methods/verdict.md)\n" +
                          (relief.empty() ? "" : "  twice as much by: " + relief + "\n")});
  }
}

/// Sets whole numbers, one at a time, to a large value.
class Enlarger final : public ParamVisitor {
 public:
  explicit Enlarger(int number) : left_(number) {}
  bool has_set() const { return left_ < 0; }

  void integer(const ParamInfo&, int& field, Range range) override {
    constexpr std::int64_t large = 1024;  // a power of two: more than units of a kind, or 0 for "without"
    const std::int64_t value = std::min(range.max, large);
    if (left_-- == 0 && range.allows(value)) field = static_cast<int>(value);
  }
  void bytes(const ParamInfo&, Bytes&, Range) override {}
  void real(const ParamInfo&, double&, double, double) override {}
  void flag(const ParamInfo&, bool&) override {}
  void text(const ParamInfo&, std::string&) override {}
  void choice_index(const ParamInfo&, int&, const std::vector<std::string>&) override {}

 private:
  int left_;
};

/// What a module declares with its defaults, and what it has only with another value of a parameter, such as
/// integer units that can be busy.
Resources resources_of(const ModuleKind& kind) {
  Resources all = kind.resources(*kind.new_params());
  for (int number = 0;; ++number) {
    const auto params = kind.new_params();
    Enlarger enlarger(number);
    params->for_each_param(enlarger);
    if (!enlarger.has_set()) return all;
    for (const Resource& one : kind.resources(*params))
      if (std::none_of(all.begin(), all.end(), [&](const auto& other) { return other.name == one.name; }))
        all.push_back(one);
  }
}

/// Adds states of schedulers and columns of epochs.
void add_words_of_reports(Things& things) {
  for (const auto& [name, sentence] : scheduler_states())
    things.push_back({"scheduler state", "", std::string(name), "SMs " + std::string(sentence),
                      "  of all scheduler cycles; the verdict's line SMs\n"});
  for (const std::string& name : EpochSeries::column_names())
    things.push_back({"column of epochs.csv", "epochs", name, EpochSeries::column_sentence(name)});
}

/// Places of a cause, for blocks whose place the netlist does not change.
std::string places_of(Cause cause) {
  std::string list;
  for (int r = 0; r < role_count(); ++r)
    for (const Cause one : causes_of(Role(r)))
      if (one == cause) list += (list.empty() ? "" : ", ") + std::string(place_of(Role(r)));
  return list;
}

Things all_things(const ModuleTable& modules) {
  Things things;
  for (const SummaryRow& row : describe_summary().rows)
    things.push_back(
        {"figure", "summary", row.name, row.sentence, row.unit.empty() ? "" : "  unit: " + row.unit + "\n"});
  for (const ModuleKind* kind : modules) {
    const std::string owner(kind->name);
    things.push_back({"module", "", owner, std::string(kind->summary),
                      "  strata modules " + owner + " lists its sockets, parameters and statistics\n" +
                          describe_storage(*kind)});
    const auto params = kind->new_params();
    add_params(*params, owner, things);
    if (kind->resources != nullptr) add_resources(owner, resources_of(*kind), things);
    if (kind->new_stats == nullptr) continue;
    const InstanceStats stats = read_stats("", *kind, *kind->new_stats());
    add_statistics("counter", stats.counters, stats, things);
    add_statistics("histogram", stats.histograms, stats, things);
    add_statistics("ratio", stats.ratios, stats, things);
  }
  add_words_of_reports(things);
  AddressMapParams map;
  add_params(map, "address_map", things);
  for (int i = 0; i < cause_count; ++i) {
    const auto cause = static_cast<Cause>(i);
    things.push_back(
        {"ledger cause", "", std::string(to_text(cause)), std::string(sentence(cause)),
         "  charged at: " + places_of(cause) +
             "\n  unit: cycles of the core clock; all places of a request add up to its latency\n"});
  }
  for (const auto& [name, sentence] : {std::pair("count", "how many modules the instance has"),
                                       {"module", "the module that the instance is of"},
                                       {"timing", "at, lt or rtl: how the instance's time is modelled"},
                                       {"clock", "the clock that the instance runs at"}})
    things.push_back({"instance key", "", name, sentence, ""});
  things.push_back({"instance key", "", "ledger_place",
                    "the place at which ledgers charge an instance; by default its role's, else its own name",
                    "  allowed: a letter, then letters, digits and '_', as in noc1\n"});
  things.push_back({"instance key", "", "link_mm",
                    "length of each link of a router; without it the floor plan gives it",
                    "  unit: mm\n  allowed: 0.1 to 100\n"});
  CacheArrays arrays;
  for (const ParamRow& row : list_params(arrays))
    things.push_back({"instance key", "", row.name, row.sentence,
                      "  unit: " + row.unit + "\n  allowed: " + row.allowed + ", of caches\n"});
  return things;
}

/// `noc.request_queue`, or the same cause at a place named by a netlist.
bool is_row(const Thing& thing, const std::string& place, const Things& things,
            const std::vector<InstanceName>& instances) {
  if (thing.what != "ledger cause") return false;
  const auto instance = [&](const InstanceName& one) { return one.name == place; };
  const auto owner = [&](const Thing& one) { return one.owner == place; };
  for (int r = 0; r < role_count(); ++r)
    if (place_of(Role(r)) == place) return true;
  return nominal_places().find(place + "." + thing.name).has_value() ||
         (std::none_of(instances.begin(), instances.end(), instance) &&
          std::none_of(things.begin(), things.end(), owner));
}

std::string exact(const Things& things, const std::string& owner, const std::string& name,
                  const std::vector<InstanceName>& instances) {
  std::string text;
  for (const Thing& thing : things)
    if (thing.name == name && (owner.empty() || owner == thing.owner || thing.what == "instance key" ||
                               is_row(thing, owner, things, instances)))
      text += thing.text();
  return text;
}

std::vector<std::string> names_of(const Things& things, const std::string& owner) {
  std::vector<std::string> names;
  for (const Thing& thing : things)
    if (owner.empty() || thing.owner == owner) names.push_back(thing.name);
  return names;
}

/// `llc`, `llc[3]`, `llc.ways`: the module of the instance, or the member of it after the dot.
std::string of_instance(const Things& things, const std::string& head, const std::string& tail,
                        const std::vector<InstanceName>& instances) {
  std::string text, refusal;
  for (const InstanceName& instance : instances) {
    if (instance.name != head) continue;
    const std::size_t others = instance.platforms.size() - 1;
    const std::string line = "  " + head + " is an instance of " + instance.module + " in " +
                             instance.platforms.front() +
                             (others == 0   ? ""
                              : others == 1 ? " and 1 other platform"
                                            : " and " + std::to_string(others) + " other platforms") +
                             "\n";
    const std::string found = tail.empty() ? exact(things, "", instance.module, instances)
                                           : exact(things, instance.module, tail, instances);
    if (!found.empty())
      text += found + line;
    else
      refusal = "'" + head + "' is of the module " + instance.module + ", which has no '" + tail + "'" +
                suggestion(tail, names_of(things, instance.module));
  }
  if (text.empty() && !refusal.empty()) throw ConfigError(refusal);
  for (const Thing& thing : things)
    if (!text.empty() && tail.empty() && thing.what == "figure" && thing.name.rfind(head + "_", 0) == 0)
      text += thing.title() + ": " + thing.sentence + "\n";
  return text;
}

bool has_choice(const Thing& thing, const std::string& wanted) {
  std::istringstream list(thing.choices);
  for (std::string choice; std::getline(list, choice, ',');)
    if (choice.substr(choice.find_first_not_of(' ')) == wanted) return true;
  return false;
}

std::string as_choice(const Things& things, const std::string& wanted) {
  std::string text;
  for (const Thing& thing : things)
    if (has_choice(thing, wanted)) text += wanted + " is a choice of the " + thing.text();
  return text;
}

/// `is_word`: its meaning has been printed already.
std::string as_word(const Things& things, const std::string& wanted, bool is_word = false) {
  std::string text;
  std::size_t count = 0;
  for (const Thing& thing : things)
    if ((mentions(thing.name, wanted, true) || mentions(lower(thing.sentence), wanted)) &&
        ++count <= mentions_shown)
      text += "  " + thing.title() + ": " + thing.sentence + "\n";
  if (count == 0) return {};
  if (count > mentions_shown) text += "  and " + std::to_string(count - mentions_shown) + " more\n";
  return (is_word ? "these mention it:\n" : "nothing is called '" + wanted + "', but these mention it:\n") +
         text;
}

std::string word(const std::string& wanted) {
  for (const GlossaryTerm& one : glossary())
    if (spelled_alike(one.term) == spelled_alike(wanted)) return one.term + ": " + one.meaning + "\n";
  for (const ExplainedWord& one : explained_words())
    if (spelled_alike(std::string(one.word)) == spelled_alike(wanted))
      return "word " + wanted + ": " + std::string(one.sentence) + "\n";
  return {};
}

[[noreturn]] void refuse(const Things& things, const std::string& name, const std::string& last,
                         const std::vector<InstanceName>& instances) {
  std::vector<std::string> names = names_of(things, "");
  for (const InstanceName& instance : instances) names.push_back(instance.name);
  std::string hint = suggestion(last, names);
  if (std::find(names.begin(), names.end(), last) != names.end()) hint = " (did you mean '" + last + "'?)";
  throw ConfigError(
      "nothing is called '" + name + "'" + hint +
      "; known are figures, parameters, statistics, ledger causes, modules, and instances of the "
      "platforms that Strata comes with, as in llc.ways");
}

}  // namespace

std::vector<InstanceName> instance_names() {
  std::vector<InstanceName> names;
  for (const std::string& platform : platform_names()) {
    const Netlist netlist = Netlist::load(find_platform(platform));
    for (const NetlistSection& section : netlist.instances()) {
      const std::string& module = section.find("module")->text;
      const auto present = std::find_if(names.begin(), names.end(), [&](const InstanceName& one) {
        return one.name == section.name && one.module == module;
      });
      if (present == names.end())
        names.push_back({section.name, module, {platform}});
      else
        present->platforms.push_back(platform);
    }
  }
  return names;
}

namespace {

/// Of a table's head such as "speed-up over l1.size 96 KiB" or "began, cycle" the term, without its unit or
/// what it is over; empty: it has neither.
std::string without_rest(const std::string& head) {
  std::size_t end = std::string::npos;
  for (const char* rest : {" over ", ", "}) end = std::min(end, head.find(rest));
  return end == std::string::npos ? std::string() : head.substr(0, end);
}

/// What has the name `wanted`, or means it as a word; empty: nothing.
std::string known(const Things& things, const std::string& wanted,
                  const std::vector<InstanceName>& instances) {
  const std::size_t dot = wanted.rfind('.');
  const std::string last = dot == std::string::npos ? wanted : wanted.substr(dot + 1);
  const std::string owner = dot == std::string::npos ? "" : wanted.substr(0, dot);
  const std::string meaning = word(wanted);
  std::string text = exact(things, owner, last, instances);
  if (!text.empty()) return text + meaning;
  const std::string& instance = owner.empty() ? last : owner;
  text = of_instance(things, instance.substr(0, instance.find('[')), owner.empty() ? "" : last, instances);
  if (!text.empty()) return text + meaning;
  return meaning.empty() ? meaning : meaning + as_word(things, last, true);
}

/// The same for a phrase: as it is, with '_' for blanks as in "L1 hit rate", or without its unit.
std::string known_phrase(const Things& things, const std::string& wanted,
                         const std::vector<InstanceName>& instances) {
  std::string text = known(things, wanted, instances);
  std::string name = wanted;
  std::replace(name.begin(), name.end(), ' ', '_');
  if (text.empty() && name != wanted) text = known(things, name, instances);
  const std::string term = without_rest(wanted);
  return text.empty() && !term.empty() ? known_phrase(things, term, instances) : text;
}

}  // namespace

std::string explain(const std::string& name, const ModuleTable& modules,
                    const std::vector<InstanceName>& instances) {
  const Things things = all_things(modules);
  const std::string wanted = lower(name);
  std::string text = known_phrase(things, wanted, instances);
  if (!text.empty()) return text;
  const std::size_t dot = wanted.rfind('.');
  const std::string last = dot == std::string::npos ? wanted : wanted.substr(dot + 1);
  const std::string owner = dot == std::string::npos ? "" : wanted.substr(0, dot);
  if (const std::string now(DigestNames::get().now_called(last)); !now.empty())
    return "'" + last + "' is called " + now + " now\n" + exact(things, owner, now, instances);
  if (owner.empty()) text = as_choice(things, last);
  if (text.empty() && owner.empty()) text = as_word(things, last);
  if (text.empty()) refuse(things, name, last, instances);
  return text;
}

}  // namespace strata::platforms
