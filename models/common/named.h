#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

/// A row of a table that names the values of an enumeration, in any order. Rows of a type of their own, with
/// more members, do as well.
template <class Enum>
struct Named {
  Enum value;
  std::string_view name;
};

/// For static_assert: a row for each value from 0 to `last`, and no name twice.
template <class Row, std::size_t Count, class Enum>
constexpr bool names_all(const Row (&table)[Count], Enum last) {
  for (std::size_t i = 0; i < Count; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (table[i].value == table[j].value || table[i].name == table[j].name) return false;
  for (const Row& row : table)
    if (row.value < Enum{} || row.value > last) return false;
  return Count == static_cast<std::size_t>(last) + 1;
}

/// The row of a value that has one.
template <class Row, std::size_t Count, class Enum>
constexpr const Row& row_of_value(const Row (&table)[Count], Enum value) {
  std::size_t at = 0;
  while (table[at].value != value) ++at;
  return table[at];
}

/// The row called `name`; nullptr: none.
template <class Row, std::size_t Count>
constexpr const Row* find_named(const Row (&table)[Count], std::string_view name) {
  for (const Row& row : table)
    if (row.name == name) return &row;
  return nullptr;
}

/// All names, in the order of the rows.
template <class Row, std::size_t Count>
std::vector<std::string> names_of(const Row (&table)[Count]) {
  std::vector<std::string> names;
  for (const Row& row : table) names.emplace_back(row.name);
  return names;
}

/// `a, b, c`: what a message lists as allowed.
template <class Row, std::size_t Count>
std::string list_of(const Row (&table)[Count]) {
  std::string text;
  for (const Row& row : table) text += (text.empty() ? "" : ", ") + std::string(row.name);
  return text;
}

}  // namespace strata
