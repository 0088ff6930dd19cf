#include "platforms/engine/netlist/param_table.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "platforms/engine/netlist/netlist.h"
#include "platforms/engine/netlist/resolver.h"

namespace strata::platforms {
namespace {

bool power_of_two(std::int64_t value) {
  return value > 0 && (value & (value - 1)) == 0;
}

/// The legal value nearest to `value`.
std::int64_t nearest_legal(std::int64_t value, const Range& range) {
  if (range.or_zero && value <= 0) return 0;
  value = std::clamp(value, range.min, range.max);
  if (!range.power_of_two || power_of_two(value)) return value;
  std::int64_t below = 1;
  while (below <= value / 2) below *= 2;
  const std::int64_t above = below > range.max / 2 ? below : below * 2;
  if (below < range.min) return above;
  return value - below <= above - value ? below : above;
}

std::string real_text(double value) {
  char buffer[32];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  return std::string(buffer, result.ptr);
}

/// "1 to 64", in the unit of the parameter; an open upper end reads "1 or more".
std::string range_text(const Range& range, bool is_bytes) {
  const auto show = [&](std::int64_t n) {
    return is_bytes ? to_text(Bytes(static_cast<std::uint64_t>(n))) : std::to_string(n);
  };
  std::string text = range.max >= std::numeric_limits<std::int32_t>::max() && !is_bytes
                         ? show(range.min) + " or more"
                         : show(range.min) + " to " + show(range.max);
  if (range.or_zero) text.insert(0, show(0) + ", or ");
  if (range.power_of_two) text += ", a power of two";
  return text;
}

class Lister final : public ParamVisitor {
 public:
  std::vector<ParamRow> rows;
  void integer(const ParamInfo& info, int& field, Range range) override {
    add(info, range_text(range, false), std::to_string(field));
  }
  void bytes(const ParamInfo& info, Bytes& field, Range range) override {
    add(info, range_text(range, true), to_text(field));
  }
  void real(const ParamInfo& info, double& field, double min, double max) override {
    add(info, real_text(min) + " to " + real_text(max), real_text(field));
  }
  void flag(const ParamInfo& info, bool& field) override {
    add(info, "true or false", field ? "true" : "false");
  }
  void text(const ParamInfo& info, std::string& field) override {
    add(info, "a name", field);
    rows.back().quoted = true;
  }
  void choice_index(const ParamInfo& info, int& index, const std::vector<std::string>& names) override {
    add(info, comma_list(names), names.at(static_cast<std::size_t>(index)));
  }

 private:
  void add(const ParamInfo& info, std::string allowed, std::string value) {
    rows.push_back({std::string(info.name), std::string(info.unit), std::move(allowed), std::move(value),
                    std::string(info.sentence), false});
  }
};

std::string_view singular(std::string_view unit) {
  if (unit.size() > 1 && unit.back() == 's') unit.remove_suffix(1);
  return unit;
}

/// Splits "120 cycles" into "120" and "cycles"; the unit stays empty for anything but a number and a word.
std::pair<std::string, std::string> split_unit(const std::string& text) {
  std::size_t at = text.find_first_not_of("+-");
  if (at == std::string::npos || !std::isdigit(static_cast<unsigned char>(text[at]))) return {text, ""};
  while (at < text.size() && (std::isdigit(static_cast<unsigned char>(text[at])) || text[at] == '.')) ++at;
  std::size_t unit = at;
  while (unit < text.size() && text[unit] == ' ') ++unit;
  if (unit == text.size() || !std::isalpha(static_cast<unsigned char>(text[unit]))) return {text, ""};
  for (std::size_t i = unit; i < text.size(); ++i)
    if (!std::isalpha(static_cast<unsigned char>(text[i]))) return {text, ""};
  return {text.substr(0, at), text.substr(unit)};
}

class Setter final : public ParamVisitor {
 public:
  Setter(const NetlistSection& section, const IntegerReader& integers, Faults& faults)
      : section_(section), integers_(integers), faults_(faults) {}

  std::vector<std::string> names;

  void integer(const ParamInfo& info, int& field, Range range) override {
    const NetlistEntry* entry = find(info);
    if (entry == nullptr) return;
    auto value = parse_integer(entry->text);
    if (!value) {
      const auto [number, unit] = split_unit(entry->text);
      std::string problem = "is not a whole number";
      if (unit.empty()) {
        value = integers_(entry->text, problem);
      } else if (singular(unit) == singular(info.unit)) {
        value = parse_integer(number);
      } else {
        problem = "has the wrong unit; give " +
                  (info.unit.empty() ? std::string("a plain number") : "it in " + std::string(info.unit));
      }
      if (!value) return fail(info, *entry, problem, with_unit(range_text(range, false), info));
    }
    if (in_range(info, *entry, *value, range, false)) field = static_cast<int>(*value);
  }

  void bytes(const ParamInfo& info, Bytes& field, Range range) override {
    const NetlistEntry* entry = find(info);
    if (entry == nullptr) return;
    const auto value = parse_bytes(entry->text);
    if (!value) {
      const std::string unit = split_unit(entry->text).second;
      return fail(info, *entry, unit.empty() ? "is not a size" : "has the wrong unit",
                  range_text(range, true) + "; units: B, KiB, MiB, GiB (KB, MB, GB mean the same)");
    }
    if (in_range(info, *entry, static_cast<std::int64_t>(value->count), range, true)) field = *value;
  }

  void real(const ParamInfo& info, double& field, double min, double max) override {
    const NetlistEntry* entry = find(info);
    if (entry == nullptr) return;
    const auto value = parse_real(entry->text);
    const std::string allowed = with_unit(real_text(min) + " to " + real_text(max), info);
    if (!value) return fail(info, *entry, "is not a number", allowed);
    if (*value < min || *value > max)
      return fail(info, *entry, "is out of range",
                  allowed + " (nearest: " + real_text(*value < min ? min : max) + ")");
    field = *value;
  }

  void flag(const ParamInfo& info, bool& field) override {
    const NetlistEntry* entry = find(info);
    if (entry == nullptr) return;
    if (entry->text != "true" && entry->text != "false")
      return fail(info, *entry, "is no switch", "true or false");
    field = entry->text == "true";
  }

  void text(const ParamInfo& info, std::string& field) override {
    const NetlistEntry* entry = find(info);
    if (entry != nullptr) field = entry->text;
  }

  void choice_index(const ParamInfo& info, int& index, const std::vector<std::string>& choices) override {
    const NetlistEntry* entry = find(info);
    if (entry == nullptr) return;
    const auto found = std::find(choices.begin(), choices.end(), entry->text);
    if (found == choices.end())
      return fail(info, *entry, "is no choice", comma_list(choices) + suggestion(entry->text, choices));
    index = static_cast<int>(found - choices.begin());
  }

 private:
  const NetlistEntry* find(const ParamInfo& info) {
    names.emplace_back(info.name);
    return section_.find(info.name);
  }
  static std::string with_unit(std::string text, const ParamInfo& info) {
    return info.unit.empty() ? text : text + " (" + std::string(info.unit) + ")";
  }
  bool in_range(const ParamInfo& info, const NetlistEntry& entry, std::int64_t value, const Range& range,
                bool is_bytes) {
    if (range.allows(value)) return true;
    const std::int64_t legal = nearest_legal(value, range);
    const std::string shown =
        is_bytes ? to_text(Bytes(static_cast<std::uint64_t>(legal))) : std::to_string(legal);
    std::string problem = range.holds(value) ? "is not a power of two" : "is out of range";
    if (!is_bytes && !parse_integer(entry.text)) problem = "(" + std::to_string(value) + ") " + problem;
    fail(info, entry, problem, with_unit(range_text(range, is_bytes), info) + " (nearest: " + shown + ")");
    return false;
  }
  void fail(const ParamInfo& info, const NetlistEntry& entry, const std::string& problem,
            const std::string& allowed) {
    faults_.push_back({entry.where, section_.name + "." + std::string(info.name) + ": '" + entry.text + "' " +
                                        problem + "; allowed: " + allowed});
  }

  const NetlistSection& section_;
  const IntegerReader& integers_;
  Faults& faults_;
};

}  // namespace

std::vector<ParamRow> list_params(ParamSet& params) {
  Lister lister;
  params.for_each_param(lister);
  return std::move(lister.rows);
}

void read_params(ParamSet& params, const NetlistSection& section, const std::vector<std::string>& other_keys,
                 const IntegerReader& integers, Faults& faults) {
  Setter setter(section, integers, faults);
  params.for_each_param(setter);
  std::vector<std::string> known = setter.names;
  known.insert(known.end(), other_keys.begin(), other_keys.end());
  for (const NetlistEntry& entry : section.entries) {
    if (entry.of_former_module || std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
    const std::string hint = suggestion(entry.key, known);
    faults.push_back({entry.key_where, section.name + "." + entry.key + ": no such key" +
                                           (hint.empty() ? "; allowed: " + comma_list(known) : hint)});
  }
}

void check_params(const Faults& found, const std::string& prefix, const NetlistSection& section,
                  const NetlistSection* base, Faults& faults) {
  for (const Fault& fault : found) {
    const std::string& name = fault.where.file;  // see ParamSet::validate
    const NetlistEntry* entry = section.find(name);
    if (entry == nullptr && base != nullptr) entry = base->find(name);
    faults.push_back({entry != nullptr ? entry->where : section.where, to_text(fault, prefix)});
  }
}

std::string yaml_quoted(const std::string& text) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (byte < 0x20) {
      quoted += "\\x";
      quoted += digits[byte / 16];
      quoted += digits[byte % 16];
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

namespace {

class Collector final : public ParamVisitor {
 public:
  explicit Collector(ParamValues& values) : values_(values) {}
  void integer(const ParamInfo& info, int& field, Range) override { set(info, field); }
  void bytes(const ParamInfo& info, Bytes& field, Range) override {
    set(info, static_cast<double>(field.count));
  }
  void real(const ParamInfo& info, double& field, double, double) override { set(info, field); }
  void flag(const ParamInfo& info, bool& field) override { set(info, field ? 1 : 0); }
  void text(const ParamInfo& info, std::string& field) override {
    values_.texts[std::string(info.name)] = field;
  }
  void choice_index(const ParamInfo& info, int& index, const std::vector<std::string>& names) override {
    if (index >= 0 && index < static_cast<int>(names.size()))
      values_.texts[std::string(info.name)] = names[static_cast<std::size_t>(index)];
  }

 private:
  void set(const ParamInfo& info, double value) { values_.numbers[std::string(info.name)] = value; }
  ParamValues& values_;
};

}  // namespace

ParamValues::ParamValues(ParamSet& params) {
  Collector collector(*this);
  params.for_each_param(collector);
}

double ParamValues::number(const std::string& name, double otherwise) const {
  const auto found = numbers.find(name);
  return found == numbers.end() ? otherwise : found->second;
}

std::string ParamValues::text(const std::string& name) const {
  const auto found = texts.find(name);
  return found == texts.end() ? std::string() : found->second;
}

std::optional<CacheShape> cache_shape(const ParamValues& values, std::uint64_t line_bytes) {
  CacheShape shape;
  shape.line = static_cast<std::uint64_t>(values.number("line", static_cast<double>(line_bytes)));
  shape.ways = static_cast<int>(values.number("ways", 0));
  const std::uint64_t bytes_of_a_set = shape.line * static_cast<std::uint64_t>(shape.ways);
  if (bytes_of_a_set == 0) return std::nullopt;
  shape.sets = static_cast<std::uint64_t>(values.number("size", 0)) / bytes_of_a_set;
  if (shape.sets == 0) return std::nullopt;
  if (const auto* kind = find_named(set_index_kinds, values.text("set_index"))) shape.set_index = kind->value;
  shape.shared = {static_cast<int>(values.number("homes", 1)),
                  static_cast<int>(values.number("home_run", 1))};
  return shape;
}

}  // namespace strata::platforms
