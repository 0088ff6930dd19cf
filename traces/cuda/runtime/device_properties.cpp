#include "traces/cuda/runtime/device_properties.h"

#include <algorithm>
#include <cstring>

namespace strata::cuda {
namespace {

enum class Kind : std::uint8_t { word, size };  // int, size_t

struct Field {
  Kind kind;
  int first, count;           ///< attributes (cudaDeviceAttr) of its elements, in order
  int until = 99, since = 0;  ///< the major versions of the runtime that have it
};
constexpr Kind word = Kind::word, size = Kind::size;
constexpr int all_memory = -1, zero = -2;

// cudaDeviceProp behind name, UUID and LUID.
constexpr Field fields[] = {
    {size, all_memory, 1},  {size, 8, 1},           {word, 12, 1},          {word, 10, 1},
    {size, 11, 1},          {word, 1, 1},           {word, 2, 3},           {word, 5, 3},
    {word, 13, 1, 12},      {size, 9, 1},           {word, 75, 2},          {size, 14, 1},
    {size, 51, 1},          {word, 15, 1, 12},      {word, 16, 1},          {word, 17, 1, 12},
    {word, 18, 1},          {word, 19, 1},          {word, 20, 1, 12},      {word, 21, 1},
    {word, 77, 1},          {word, 69, 1, 12},      {word, 22, 2},          {word, 73, 2},
    {word, 70, 3},          {word, 45, 2},          {word, 24, 3},          {word, 47, 3},
    {word, 52, 1},          {word, 42, 2},          {word, 27, 3},          {word, 53, 2},
    {word, 55, 1},          {word, 56, 2},          {word, 58, 3},          {word, 61, 2},
    {word, 63, 3},          {word, 66, 1},          {word, 67, 2},          {size, 30, 1},
    {word, 31, 1},          {word, 32, 1},          {word, 33, 1},          {word, 34, 1},
    {word, 50, 1},          {word, 35, 1},          {word, 40, 1},          {word, 41, 1},
    {word, 36, 1, 12},      {word, 37, 1},          {word, 38, 1},          {word, 108, 1},
    {word, 39, 1},          {word, 78, 1},          {word, 79, 1},          {word, 80, 1},
    {size, 81, 1},          {word, 82, 1},          {word, 83, 1},          {word, 84, 1},
    {word, 85, 1},          {word, 86, 1},          {word, 87, 1, 12},      {word, 88, 1},
    {word, 89, 1},          {word, 90, 1},          {word, 91, 1},          {word, 95, 1},
    {word, zero, 1, 12},    {size, 97, 1},          {word, 100, 1},         {word, 101, 1},
    {word, 106, 1},         {word, 109, 1},         {size, 111, 1, 99, 12}, {word, 99, 1, 99, 12},
    {word, 112, 1, 99, 12}, {word, 113, 1, 99, 12}, {word, 114, 1, 99, 12}, {word, 115, 1, 99, 12},
    {word, 116, 1, 99, 12}, {word, 117, 1, 99, 12}, {word, 118, 1, 99, 12}, {word, 119, 1, 99, 12},
    {word, 121, 1, 99, 12}, {word, 125, 1, 99, 12}, {word, 120, 1, 99, 12}, {word, zero, 1, 99, 12},
};
constexpr std::size_t behind_names = 256 + 16 + 8 + 4;
constexpr std::size_t bytes_12 = 1032, bytes_13 = 1008;

}  // namespace

void write_properties(const DeviceDescription& device, int runtime, void* to) {
  auto* const out = static_cast<char*>(to);
  std::size_t at = behind_names;
  std::memset(out, 0, runtime >= 13 ? bytes_13 : runtime == 12 ? bytes_12 : at);
  std::memcpy(out, device.name.data(), std::min<std::size_t>(device.name.size(), 255));
  for (const Field& field : fields) {
    if (runtime > field.until || runtime < field.since) continue;
    for (int i = 0; i < field.count; ++i) {
      int value = 0;
      if (field.first > 0) device.attribute(field.first + i, value);
      const std::uint64_t wide =
          field.first == all_memory ? device.memory : static_cast<std::uint64_t>(value);
      const std::size_t bytes = field.kind == size ? 8 : 4;
      at = (at + bytes - 1) / bytes * bytes;
      std::memcpy(out + at, &wide, bytes);
      at += bytes;
    }
  }
}

}  // namespace strata::cuda
