#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace strata::traces {

/// A hash of 128 bits over all added bytes, safe against accidental collisions, not against attacks. Several
/// bytes per cycle.
class ContentHash {
 public:
  void add(std::string_view bytes);
  /// Adds a text and its length: two texts differ from their concatenation.
  void add_part(std::string_view text);
  /// Adds a file. Throws InputError.
  void add_file(const std::string& path);
  /// The hash in 32 hexadecimal digits.
  std::string digits() const;
  /// Half of the hash.
  std::uint64_t word() const { return finished()[0]; }

 private:
  using State = std::array<std::uint64_t, 2>;
  static constexpr std::size_t step = 16;

  static void mix(State& state, const char* bytes);
  State finished() const;

  State state_ = {0x5354524154412e31, 0x9e3779b97f4a7c15};
  std::array<char, step> rest_{};  // bytes that do not fill a step yet
  std::uint64_t length_ = 0;
};

}  // namespace strata::traces
