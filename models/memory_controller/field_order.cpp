#include "models/memory_controller/field_order.h"

#include <algorithm>

namespace strata {
namespace {

constexpr std::string_view letters = "RGBCS";

std::string plain(std::string_view text) {
  std::string bits;
  for (const char c : text)
    if (c != '.' && c != ' ') bits += c;
  return bits;
}

int log2_of(std::uint64_t value) {
  return 63 - __builtin_clzll(value);
}

std::string letters_text(std::uint64_t count, std::string_view letter) {
  return std::to_string(count) + " " + std::string(letter);
}

}  // namespace

FieldOrder::FieldOrder(std::string_view text) {
  const std::string bits = plain(text);
  const int top = static_cast<int>(bits.size()) - 1;
  for (int bit = 0; bit <= top; ++bit) {
    Field& one = field(bits[static_cast<std::size_t>(top - bit)]);
    const bool goes_on =
        !one.runs.empty() && bit > 0 && &field(bits[static_cast<std::size_t>(top - bit + 1)]) == &one;
    if (!goes_on) one.runs.push_back({bit, one.bits, 0});
    one.runs.back().mask = one.runs.back().mask << 1 | 1;
    ++one.bits;
  }
  if (!row_.runs.empty()) row_.runs.back().mask = ~std::uint64_t{0};
}

FieldOrder::Field& FieldOrder::field(char letter) {
  return letter == 'R' ? row_ : letter == 'G' ? group_ : letter == 'B' ? bank_ : column_;
}

Faults FieldOrder::check(std::string_view text, Bytes line, const TimingSet& timing) {
  Faults faults;
  const auto blame = [&](const std::string& message) {
    faults.push_back(param_fault("field_order", "is '" + std::string(text) + "': " + message));
  };
  const std::string bits = plain(text);
  if (bits.empty()) return faults;
  if (const std::size_t odd = bits.find_first_not_of(letters); odd != std::string::npos) {
    blame("'" + std::string(1, bits[odd]) +
          "' is no field; allowed: R (row), G (bank group), B (bank), C (column), S (byte of a column), dots "
          "and blanks");
    return faults;
  }
  if (bits.size() > 48) blame("has " + std::to_string(bits.size()) + " bits; allowed: at most 48");
  if (bits.front() != 'R')
    blame("begins with " + bits.substr(0, 1) + "; allowed: R first, which has all bits above");
  const auto count = [&](char letter) {
    return static_cast<std::uint64_t>(std::count(bits.begin(), bits.end(), letter));
  };
  const auto need = [&](std::uint64_t have, std::string_view letter, std::uint64_t size,
                        const std::string& what) {
    if ((size & (size - 1)) != 0)
      blame("needs powers of two, and timing set " + timing.name + " has " + std::to_string(size) + " " +
            what);
    else if (have != static_cast<std::uint64_t>(log2_of(size)))
      blame("has " + letters_text(have, letter) +
            "; allowed: " + letters_text(static_cast<std::uint64_t>(log2_of(size)), letter) + ", for the " +
            std::to_string(size) + " " + what + " of timing set " + timing.name);
  };
  need(count('G'), "G", static_cast<std::uint64_t>(timing.bank_groups), "bank groups");
  need(count('B'), "B", static_cast<std::uint64_t>(timing.banks_per_group), "banks of a group");
  need(count('C') + count('S'), "C and S", timing.row_bytes, "bytes of a row");
  const std::size_t within = std::min(bits.size(), static_cast<std::size_t>(log2_of(line)));
  if (bits.find_first_of("RGB", bits.size() - within) != std::string::npos)
    blame("divides lines of " + to_text(line) + "; allowed: C and S only in its last " +
          std::to_string(within) + " letters");
  if (const std::size_t byte = bits.find('S');
      byte != std::string::npos && bits.find_first_not_of('S', byte) != std::string::npos)
    blame("has " + bits.substr(bits.find_first_not_of('S', byte), 1) + " behind S; allowed: S last");
  return faults;
}

}  // namespace strata
