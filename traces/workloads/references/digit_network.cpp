#include <algorithm>
#include <cmath>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {
namespace {

float activation(float x) {
  return 1.7159F * std::tanh(0.66666667F * x);
}

/// `maps` of out x out pixels, windows of 5 x 5 two apart in `channels` maps of in x in. Weights: a bias,
/// then [place in the window][channel].
void convolve(HostSpan<float> in, HostSpan<float> weights, HostSpan<float> out, std::int64_t batch,
              std::int64_t channels, std::int64_t size, std::int64_t maps, std::int64_t out_size) {
  for (std::int64_t at = 0; at < batch * maps * out_size * out_size; ++at) {
    const std::int64_t x = at % out_size, y = at / out_size % out_size,
                       map = at / (out_size * out_size) % maps, image = at / (out_size * out_size * maps),
                       w = map * 26 * channels;
    float sum = weights[w];
    for (std::int64_t i = 0; i < 25; ++i)
      for (std::int64_t c = 0; c < channels; ++c)
        sum = std::fma(in[((image * channels + c) * size + y * 2 + i / 5) * size + x * 2 + i % 5],
                       weights[w + 1 + i * channels + c], sum);
    out[at] = activation(sum);
  }
}

void connect(HostSpan<float> in, HostSpan<float> weights, HostSpan<float> out, std::int64_t batch,
             std::int64_t inputs, std::int64_t neurons) {
  for (std::int64_t at = 0; at < batch * neurons; ++at) {
    const std::int64_t w = at % neurons * (inputs + 1);
    float sum = weights[w];
    for (std::int64_t i = 0; i < inputs; ++i)
      sum = std::fma(in[at / neurons * inputs + i], weights[w + 1 + i], sum);
    out[at] = activation(sum);
  }
}

}  // namespace

void digit_network(HostData& data) {
  const std::int64_t batch = data.value("batch");
  const auto image = data.f32("image", batch * 841), layer2 = data.f32("layer2", batch * 1014),
             layer3 = data.f32("layer3", batch * 1250), layer4 = data.f32("layer4", batch * 100),
             layer5 = data.f32("layer5", batch * 10);
  convolve(image, data.f32("weights1", 156), layer2, batch, 1, 29, 6, 13);
  convolve(layer2, data.f32("weights2", 7800), layer3, batch, 6, 13, 50, 5);
  connect(layer3, data.f32("weights3", 125100), layer4, batch, 1250, 100);
  connect(layer4, data.f32("weights4", 1010), layer5, batch, 100, 10);
}

}  // namespace strata::traces::references
