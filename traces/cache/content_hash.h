#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace strata::traces {

/// 128 bits of all bytes that were added, for telling contents apart by accident, not against somebody who
/// looks for two that are alike. Several bytes a cycle.
class ContentHash {
 public:
  void add(std::string_view bytes);
  /// A text and its length: two texts one after the other are not the same as both in one.
  void add_part(std::string_view text);
  /// All of a file. Throws InputError.
  void add_file(const std::string& path);
  /// 32 hexadecimal digits of what was added so far.
  std::string digits() const;
  /// Half of it.
  std::uint64_t word() const { return finished()[0]; }

 private:
  using State = std::array<std::uint64_t, 2>;
  static constexpr std::size_t step = 16;

  static void mix(State& state, const char* bytes);
  State finished() const;

  State state_ = {0x5354524154412e31, 0x9e3779b97f4a7c15};
  std::array<char, step> rest_{};  // bytes that fill no step yet
  std::uint64_t length_ = 0;
};

}  // namespace strata::traces
