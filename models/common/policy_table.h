#pragma once

#include <deque>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/params.h"

namespace strata {

/// The policies of one kind, by name. A row has at least a `name`, a `sentence` and a function `make`.
/// Strata's own rows come first, then those of plug-ins, which stay until the process ends, as their code
/// does. Rows keep their place in memory.
///
/// A type of rows that plug-ins may bring has `static constexpr std::string_view kind`, the kind in words,
/// and `static PolicyTable<Row>& table()`, defined in a source file, so that there is one table.
template <class Row>
class PolicyTable {
 public:
  PolicyTable(std::initializer_list<Row> own) : rows_(own) {}

  int size() const { return static_cast<int>(rows_.size()); }
  template <class Place>
  const Row& at(Place place) const {
    return rows_.at(static_cast<std::size_t>(place));
  }
  auto begin() const { return rows_.begin(); }
  auto end() const { return rows_.end(); }
  /// Place of the row of this name; -1: there is none.
  int find(std::string_view name) const {
    for (int place = 0; place < size(); ++place)
      if (at(place).name == name) return place;
    return -1;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const Row& row : rows_) names.emplace_back(row.name);
    return names;
  }
  /// "what the first does (its name); what the second does (its name)"
  std::string sentences(const char* between = "; ") const {
    std::string text;
    for (const Row& row : rows_)
      text += (text.empty() ? "" : between) + std::string(row.sentence) + " (" + std::string(row.name) + ")";
    return text;
  }

  /// A parameter that names a row: `field` is its place, a whole number or an enumeration of Strata's own
  /// rows.
  template <class Field>
  void param(ParamVisitor& visitor, const ParamInfo& info, Field& field) const {
    int place = static_cast<int>(field);
    visitor.choice_index(info, place, names());
    field = static_cast<Field>(place);
  }

  /// No other row has the name of this one.
  bool fits(const Row& row) const {
    const int place = find(row.name);
    return place < 0 || at(place).make == row.make;
  }
  /// Adds a row that fits, unless it is there.
  void add(const Row& row) {
    if (find(row.name) < 0) rows_.push_back(row);
  }

 private:
  std::deque<Row> rows_;
};

}  // namespace strata
