#pragma once

#include <cstdint>
#include <string_view>

namespace strata {

enum class DramCommand : std::uint8_t {
  act,
  pre,
  rd,
  wr,
  refab,  ///< refresh of all banks: addresses no bank
  refpb,  ///< refresh of one bank
};
constexpr int dram_command_count = 6;
std::string_view to_text(
    DramCommand command);  // "ACT", "PRE", "RD", "WR", "REFab", "REFpb": as in command traces

constexpr DramCommand column_command(bool write) {
  return write ? DramCommand::wr : DramCommand::rd;
}
constexpr bool is_column(DramCommand c) {
  return c == DramCommand::rd || c == DramCommand::wr;
}
constexpr bool is_refresh(DramCommand c) {
  return c == DramCommand::refab || c == DramCommand::refpb;
}

}  // namespace strata
