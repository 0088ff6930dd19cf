#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "models/common/instruction_source.h"

/// What launches, streams and nodes of graphs have beside their parameters (cudaLaunchAttribute).
namespace strata::cuda {

class Device;

/// cudaAccessPolicyWindow.
struct AccessWindow {
  void* base;
  std::size_t bytes;
  float hit_ratio;
  int on_hit, on_miss;  ///< 0 normal, 1 streaming, 2 persisting; of a miss 0 or 1
};
static_assert(sizeof(AccessWindow) == 32);

/// Values by number (cudaLaunchAttributeID), each of 64 bytes.
class Attributes {
 public:
  using Value = std::array<std::uint8_t, 64>;
  enum class Of : std::uint8_t { stream, node, launch };  ///< what has them
  static constexpr int access_window = 1, cooperative = 2, cluster = 4, priority = 8;

  /// Throws CallError when that has no such attribute, or not with this value.
  void set(const Device& device, Of whose, int number, const void* value);
  /// What was set; zeros otherwise. Throws CallError.
  void get(Of whose, int number, void* value) const;
  /// All of `count` pairs of number and value, 72 bytes each.
  void set_all(const Device& device, const void* pairs, unsigned count);

  bool has(int number) const { return values_.count(number) != 0; }
  int word(int number) const;
  /// The dimensions of clusters that were given; none when they are all 0.
  std::optional<Dim3> cluster_dims() const;
  /// Whether lines of some window are to be treated apart.
  bool has_window() const;

 private:
  static bool belongs(Of whose, int number);
  std::map<int, Value> values_;
};

}  // namespace strata::cuda
