#include "models/power/constants.h"

#include <cmath>
#include <vector>

#include "models/common/text.h"
#include "models/io/yaml_file.h"

namespace strata::power {

namespace {

const std::vector<std::string> keys{"value", "unit", "source", "obtained"};

SourcePosition position(const std::string& file, const YAML::Mark& mark) {
  return {file, mark.line + 1, mark.column + 1};
}

/// One row of the table: faults are collected, not thrown.
class RowReader {
 public:
  RowReader(std::string name, std::string file, Faults& faults)
      : name_(std::move(name)), file_(std::move(file)), faults_(faults) {}

  Constant read(const YAML::Node& row) {
    Constant constant;
    constant.where = position(file_, row.Mark());
    if (!row.IsMap()) {
      blame(row.Mark(), "must be a mapping with " + comma_list(keys));
      return constant;
    }
    for (const auto& entry : row) {
      const std::string key = entry.first.Scalar();
      if (std::find(keys.begin(), keys.end(), key) == keys.end())
        blame(entry.first.Mark(),
              "has no key '" + key + "'" + suggestion(key, keys) + "; it takes " + comma_list(keys));
    }
    constant.unit = text(row, "unit");
    constant.source = text(row, "source");
    constant.obtained = text(row, "obtained");
    constant.value = value(row);
    return constant;
  }

 private:
  void blame(const YAML::Mark& mark, const std::string& message) {
    faults_.push_back({position(file_, mark), "constant " + name_ + " " + message});
  }

  std::string text(const YAML::Node& row, const char* key) {
    const YAML::Node node = row[key];
    if (node && node.IsScalar() && !node.Scalar().empty()) return node.Scalar();
    blame(row.Mark(), std::string("has no ") + key +
                          ": every constant says its unit, its source and how it was obtained");
    return {};
  }

  double number(const YAML::Node& node) {
    double value = 0;
    if (node.IsScalar() && YAML::convert<double>::decode(node, value) && std::isfinite(value)) return value;
    blame(node.Mark(), "needs numbers under value, not '" + (node.IsScalar() ? node.Scalar() : "...") + "'");
    return 0;
  }

  Interval value(const YAML::Node& row) {
    const YAML::Node node = row["value"];
    if (!node || node.IsNull()) {
      blame(row.Mark(), "has no value: [low, nominal, high]");
      return {};
    }
    if (node.IsScalar()) return exactly(number(node));
    if (!node.IsSequence() || node.size() != 3) {
      blame(node.Mark(), "needs one value or three: [low, nominal, high]");
      return {};
    }
    const Interval read{number(node[0]), number(node[1]), number(node[2])};
    const double sign = read.nominal < 0 ? -1 : 1;
    if (sign * read.low > sign * read.nominal || sign * read.nominal > sign * read.high)
      blame(node.Mark(), "has values out of order: low, nominal, high grow away from 0");
    return read;
  }

  std::string name_, file_;
  Faults& faults_;
};

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

}  // namespace

Constants Constants::read(const std::string& text, const std::string& file) {
  Constants table;
  table.file_ = file;
  Faults faults;
  try {
    for (const YAML::Node& document : load_yaml(text)) {
      if (!document.IsMap()) {
        faults.push_back(
            {position(file, document.Mark()), "a table of constants is a mapping: NAME: {value: ...}"});
        continue;
      }
      for (const auto& row : document) {
        if (!row.first.IsScalar()) {
          faults.push_back({position(file, row.first.Mark()), "the name of a constant is a word"});
          continue;
        }
        const std::string name = row.first.Scalar();
        if (table.has(name))
          faults.push_back({position(file, row.first.Mark()), "constant " + name + " is there twice"});
        table.rows_[name] = RowReader(name, file, faults).read(row.second);
      }
    }
  } catch (const YAML::Exception& error) {
    throw ConfigError(Faults{{position(file, error.mark), error.msg}});
  }
  if (!faults.empty()) throw ConfigError(std::move(faults));
  return table;
}

const Constant& Constants::at(const std::string& name) const {
  const auto row = rows_.find(name);
  if (row != rows_.end()) return row->second;
  std::vector<std::string> names;
  for (const auto& [known, constant] : rows_) names.push_back(known);
  throw ConfigError(Faults{{{file_, 0, 0}, "constant " + name + " is missing" + suggestion(name, names)}});
}

std::string Constants::yaml(const std::string& prefix) const {
  std::string text;
  for (const auto& [name, row] : rows_) {
    if (name.compare(0, prefix.size(), prefix) != 0) continue;
    text += name + ": {value: [" + number_text(row.value.low) + ", " + number_text(row.value.nominal) + ", " +
            number_text(row.value.high) + "], unit: " + quoted(row.unit) + ", source: " + quoted(row.source) +
            ", obtained: " + quoted(row.obtained) + "}\n";
  }
  return text;
}

namespace {

constexpr double reference_volts = 0.8, reference_nm = 22, other_nm = 45;

/// Through the reference (factor 1) and the factor at 45 nm: a power of the feature size.
Interval node(const Interval& at_other, double nanometres) {
  const double exponent = std::log(nanometres / reference_nm) / std::log(other_nm / reference_nm);
  return {std::pow(at_other.low, exponent), std::pow(at_other.nominal, exponent),
          std::pow(at_other.high, exponent)};
}

}  // namespace

// Charge and voltage: C V^2.
Interval Technology::energy(const Constants& constants) const {
  const double v = volts / reference_volts;
  return node(constants.value("technology.energy_45nm"), nanometres) * (v * v);
}

Interval Technology::leakage(const Constants& constants) const {
  const Interval cold = constants.value("technology.leakage_300K");
  const Interval hot = constants.value("technology.leakage_360K");
  const Interval heat = kelvin <= 340 ? between(cold, exactly(1), (kelvin - 300) / 40)
                                      : between(exactly(1), hot, (kelvin - 340) / 20);
  return heat * node(constants.value("technology.leakage_45nm"), nanometres) * (volts / reference_volts);
}

Interval Technology::area(const Constants& constants) const {
  return node(constants.value("technology.area_45nm"), nanometres);
}

}  // namespace strata::power
