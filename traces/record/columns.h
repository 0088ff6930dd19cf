#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace strata::traces::record {

/// A block is closed when it holds this many instructions or CTAs; one CTA may hold more instructions.
constexpr std::uint64_t block_instructions = std::uint64_t{1} << 17;
constexpr std::uint64_t block_ctas = 4096;

/// The columns of a block, or what some CTAs add to them (docs/guide/trace-formats.md, "Record files").
struct Columns {
  std::string warps, flags, codes, masks, forms, addresses;
  std::array<std::string, 8> differences;
  static constexpr std::size_t count = 14;

  std::array<std::string*, count> all() {
    std::array<std::string*, count> list = {&warps, &flags, &codes, &masks, &forms, &addresses};
    for (std::size_t i = 0; i < differences.size(); ++i) list[6 + i] = &differences[i];
    return list;
  }
  std::size_t bytes() {
    std::size_t sum = 0;
    for (const std::string* column : all()) sum += column->size();
    return sum;
  }
  void append(Columns& more) {
    const auto to = all();
    const auto from = more.all();
    for (std::size_t i = 0; i < count; ++i) to[i]->append(*from[i]);
  }
  void clear() {
    for (std::string* column : all()) column->clear();
  }
};

/// Consecutive CTAs of one kernel in columns.
struct EncodedCtas {
  std::uint64_t first = 0, count = 0, instructions = 0;
  bool begins_block = false;  ///< nothing is remembered of what was before
  Columns columns;
};

}  // namespace strata::traces::record
