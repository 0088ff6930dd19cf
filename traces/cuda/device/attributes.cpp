#include "traces/cuda/device/attributes.h"

#include <algorithm>
#include <cstring>

#include "traces/cuda/device/device.h"

namespace strata::cuda {
namespace {

constexpr std::size_t pair_bytes = 72, value_at = 8;  ///< of cudaLaunchAttribute
constexpr int largest_window = 109;                   ///< cudaDeviceAttr

/// Whose attribute each is (CUDA Runtime API, cudaLaunchAttributeID).
struct Owner {
  int number;
  bool stream, node;
};
constexpr Owner owners[] = {{1, true, true},   {2, false, true},  {3, true, false},  {4, false, true},
                            {5, false, true},  {6, false, false}, {7, false, false}, {8, true, true},
                            {9, true, true},   {10, true, true},  {11, false, true}, {12, false, false},
                            {13, false, true}, {14, false, true}, {16, true, true}};

void check_window(const Device& device, const AccessWindow& window) {
  int largest = 0;
  device.description().attribute(largest_window, largest);
  const bool ratio = window.hit_ratio >= 0 && window.hit_ratio <= 1;  // no NaN either
  const bool kinds = window.on_hit >= 0 && window.on_hit <= 2 && (window.on_miss == 0 || window.on_miss == 1);
  if (!ratio || !kinds || (largest != 0 && window.bytes > static_cast<std::size_t>(largest)))
    throw CallError(invalid_value);
}

}  // namespace

bool Attributes::belongs(Of whose, int number) {
  for (const Owner& one : owners)
    if (one.number == number)
      return whose == Of::launch ? number != 3 : whose == Of::stream ? one.stream : one.node;
  return false;
}

void Attributes::set(const Device& device, Of whose, int number, const void* value) {
  if (value == nullptr || !belongs(whose, number)) throw CallError(invalid_value);
  if (number == access_window) {
    AccessWindow window;
    std::memcpy(&window, value, sizeof window);
    check_window(device, window);
  }
  std::memcpy(values_[number].data(), value, sizeof(Value));
}

void Attributes::get(Of whose, int number, void* value) const {
  if (value == nullptr || !belongs(whose, number)) throw CallError(invalid_value);
  const auto found = values_.find(number);
  std::memset(value, 0, sizeof(Value));
  constexpr int sync_policy = 3, domain_map = 9;
  auto* const bytes = static_cast<std::uint8_t*>(value);
  if (number == sync_policy) bytes[0] = 1;  // cudaSyncPolicyAuto
  if (number == domain_map) bytes[1] = 1;   // the remote domain
  if (found != values_.end()) std::memcpy(value, found->second.data(), sizeof(Value));
}

void Attributes::set_all(const Device& device, const void* pairs, unsigned count) {
  const auto* at = static_cast<const std::uint8_t*>(pairs);
  if (at == nullptr && count != 0) throw CallError(invalid_value);
  for (unsigned n = 0; n < count; ++n, at += pair_bytes) {
    int number = 0;
    std::memcpy(&number, at, sizeof number);
    if (number != 0) set(device, Of::launch, number, at + value_at);  // 0: an entry without meaning
  }
}

int Attributes::word(int number) const {
  const auto found = values_.find(number);
  int value = 0;
  if (found != values_.end()) std::memcpy(&value, found->second.data(), sizeof value);
  return value;
}

std::optional<Dim3> Attributes::cluster_dims() const {
  const auto found = values_.find(cluster);
  if (found == values_.end()) return {};
  std::uint32_t dims[3];
  std::memcpy(dims, found->second.data(), sizeof dims);
  if (dims[0] == 0 && dims[1] == 0 && dims[2] == 0) return {};
  return Dim3{dims[0], dims[1], dims[2]};
}

bool Attributes::has_window() const {
  const auto found = values_.find(access_window);
  if (found == values_.end()) return false;
  AccessWindow window;
  std::memcpy(&window, found->second.data(), sizeof window);
  return window.bytes != 0 && (window.on_hit != 0 || window.on_miss != 0);
}

}  // namespace strata::cuda
