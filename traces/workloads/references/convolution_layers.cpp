// Layers of convolutional networks; the three networks below chain them as their workload files do.
#include <algorithm>
#include <cmath>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {
namespace {

struct Map {
  std::int64_t channels, height, width;
  /// Elements from one channel to the next: whole lines of 128 B.
  std::int64_t plane() const { return (height * width + 31) / 32 * 32; }
};

Map convolve(HostData& data, const Map& in, const std::string& from, const std::string& layer,
             std::int64_t maps, std::int64_t r, std::int64_t stride, std::int64_t pad) {
  const Map out = {maps, (in.height + 2 * pad - r) / stride + 1, (in.width + 2 * pad - r) / stride + 1};
  const auto x = data.f32(from, in.channels * in.plane()),
             w = data.f32(layer + "_weights", maps * in.channels * r * r),
             bias = data.f32(layer + "_bias", maps), y = data.f32(layer + "_out", maps * out.plane());
  for (std::int64_t m = 0; m < maps; ++m) {
    for (std::int64_t row = 0; row < out.height; ++row) {
      for (std::int64_t column = 0; column < out.width; ++column) {
        float sum = bias[m];
        for (std::int64_t c = 0; c < in.channels; ++c)
          for (std::int64_t i = 0; i < r; ++i)
            for (std::int64_t j = 0; j < r; ++j) {
              const std::int64_t a = row * stride - pad + i, b = column * stride - pad + j;
              if (a < 0 || a >= in.height || b < 0 || b >= in.width) continue;
              sum = std::fma(w[((m * in.channels + c) * r + i) * r + j], x[c * in.plane() + a * in.width + b],
                             sum);
            }
        y[m * out.plane() + row * out.width + column] = std::max(sum, 0.0F);
      }
    }
  }
  return out;
}

Map pool(HostData& data, const Map& in, const std::string& from, const std::string& to) {
  const Map out = {in.channels, data.value(to + "_height"), data.value(to + "_height")};
  const auto x = data.f32(from, in.channels * in.plane()),
             y = data.f32(to + "_out", out.channels * out.plane());
  for (std::int64_t c = 0; c < in.channels; ++c)
    for (std::int64_t row = 0; row < out.height; ++row)
      for (std::int64_t column = 0; column < out.width; ++column) {
        float largest = x[c * in.plane() + row * 2 * in.width + column * 2];
        for (std::int64_t i = row * 2; i < std::min(row * 2 + 3, in.height); ++i)
          for (std::int64_t j = column * 2; j < std::min(column * 2 + 3, in.width); ++j)
            largest = std::max(largest, x[c * in.plane() + i * in.width + j]);
        y[c * out.plane() + row * out.width + column] = largest;
      }
  return out;
}

Map image(const HostData& data) {
  return {3, data.value("image_height"), data.value("image_height")};
}

}  // namespace

void alexnet(HostData& data) {
  Map map = convolve(data, image(data), "image", "conv1", data.value("maps1"), 11, 4, 0);
  map = pool(data, map, "conv1_out", "pool1");
  map = convolve(data, map, "pool1_out", "conv2", data.value("maps2"), 5, 1, 2);
  map = pool(data, map, "conv2_out", "pool2");
  map = convolve(data, map, "pool2_out", "conv3", data.value("maps3"), 3, 1, 1);
  map = convolve(data, map, "conv3_out", "conv4", data.value("maps4"), 3, 1, 1);
  map = convolve(data, map, "conv4_out", "conv5", data.value("maps5"), 3, 1, 1);
  pool(data, map, "conv5_out", "pool5");
}

void resnet(HostData& data) {
  const std::int64_t maps = data.value("maps");
  Map map = convolve(data, image(data), "image", "conv1", maps, 7, 2, 3);
  const Map pooled = pool(data, map, "conv1_out", "pool1");
  map = convolve(data, pooled, "pool1_out", "branch2a", maps, 1, 1, 0);
  map = convolve(data, map, "branch2a_out", "branch2b", maps, 3, 1, 1);
  convolve(data, map, "branch2b_out", "branch2c", 4 * maps, 1, 1, 0);
  convolve(data, pooled, "pool1_out", "branch1", 4 * maps, 1, 1, 0);
}

void squeezenet(HostData& data) {
  convolve(data, image(data), "image", "conv1", data.value("maps"), 7, 2, 0);
}

}  // namespace strata::traces::references
