#include <cmath>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {
namespace {

void layer(HostSpan<float> in, HostSpan<float> weights, HostSpan<float> bias, HostSpan<float> out,
           std::int64_t batch, std::int64_t inputs, std::int64_t neurons) {
  for (std::int64_t image = 0; image < batch; ++image) {
    for (std::int64_t n = 0; n < neurons; ++n) {
      float sum = bias[n];
      for (std::int64_t i = 0; i < inputs; ++i)
        sum = std::fma(in[image * inputs + i], weights[i * neurons + n], sum);
      out[image * neurons + n] = sum / (1.0F + std::fabs(sum));
    }
  }
}

}  // namespace

void dense_network(HostData& data) {
  const std::int64_t batch = data.value("batch"), inputs = data.value("inputs"),
                     hidden = data.value("hidden"), outputs = data.value("classes");
  const auto in = data.f32("input", batch * inputs), w1 = data.f32("weights1", inputs * hidden),
             b1 = data.f32("bias1", hidden), h = data.f32("hidden_out", batch * hidden),
             w2 = data.f32("weights2", hidden * outputs), b2 = data.f32("bias2", outputs),
             out = data.f32("output", batch * outputs);
  layer(in, w1, b1, h, batch, inputs, hidden);
  layer(h, w2, b2, out, batch, hidden, outputs);
}

}  // namespace strata::traces::references
