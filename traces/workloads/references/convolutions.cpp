#include <algorithm>
#include <cmath>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {

void convolution_2d(HostData& data) {
  const std::int64_t rows = data.value("rows"), columns = data.value("columns");
  const auto in = data.f32("in", rows * columns), out = data.f32("out", rows * columns);
  constexpr float weights[3][3] = {{0.2F, -0.3F, 0.4F}, {0.5F, 0.6F, 0.7F}, {-0.8F, -0.9F, 0.1F}};
  for (std::int64_t i = 1; i < rows - 1; ++i)
    for (std::int64_t j = 1; j < columns - 1; ++j) {
      float sum = 0.0F;
      for (int y = 0; y < 3; ++y)
        for (int x = 0; x < 3; ++x) sum = std::fma(weights[y][x], in[(i + y - 1) * columns + j + x - 1], sum);
      out[i * columns + j] = sum;
    }
}

void convolution_3d(HostData& data) {
  const std::int64_t ni = data.value("ni"), nj = data.value("nj"), nk = data.value("nk");
  const auto in = data.f32("in", ni * nj * nk), out = data.f32("out", ni * nj * nk);
  struct Tap {
    int i, j, k;
    float weight;
  };
  constexpr Tap taps[] = {{-1, -1, -1, 2}, {1, -1, -1, 4}, {-1, -1, -1, 5}, {1, -1, -1, 7}, {-1, -1, -1, -8},
                          {1, -1, -1, 10}, {0, -1, 0, -3}, {0, 0, 0, 6},    {0, 1, 0, -9},  {-1, -1, 1, 2},
                          {1, -1, 1, 4},   {-1, 0, 1, 5},  {1, 0, 1, 7},    {-1, 1, 1, -8}, {1, 1, 1, 10}};
  for (std::int64_t i = 1; i < ni - 1; ++i)
    for (std::int64_t j = 1; j < nj - 1; ++j)
      for (std::int64_t k = 1; k < nk - 1; ++k) {
        float sum = 0.0F;
        for (const Tap& t : taps)
          sum = std::fma(t.weight, in[((i + t.i) * nj + j + t.j) * nk + k + t.k], sum);
        out[(i * nj + j) * nk + k] = sum;
      }
}

void stencil_9(HostData& data) {
  const std::int64_t rows = data.value("rows"), columns = data.value("columns");
  const auto in = data.f32("in", rows * columns), out = data.f32("out", rows * columns);
  const auto at = [&](std::int64_t r, std::int64_t c) { return in[r * columns + c]; };
  for (std::int64_t r = 1; r < rows - 1; ++r)
    for (std::int64_t c = 1; c < columns - 1; ++c) {
      const float edges = at(r - 1, c) + at(r + 1, c) + at(r, c - 1) + at(r, c + 1);
      const float corners = at(r - 1, c - 1) + at(r - 1, c + 1) + at(r + 1, c - 1) + at(r + 1, c + 1);
      out[r * columns + c] = std::fma(0.05F, corners, std::fma(0.15F, edges, 0.2F * at(r, c)));
    }
}

void stencil_7(HostData& data) {
  const std::int64_t nx = data.value("nx"), ny = data.value("ny"), nz = data.value("nz"),
                     rounds = data.value("rounds"), plane = nx * ny;
  const auto volume = data.f32("in", plane * nz), other = data.f32("out", plane * nz);
  std::vector<float> in(volume.begin(), volume.end()), out = in;
  for (std::int64_t round = 0; round < rounds; ++round) {
    for (std::int64_t z = 1; z < nz - 1; ++z)
      for (std::int64_t y = 1; y < ny - 1; ++y)
        for (std::int64_t x = 1; x < nx - 1; ++x) {
          const std::int64_t i = z * plane + y * nx + x;
          const float sum = in[i + plane] + in[i - plane] + in[i + nx] + in[i - nx] + in[i + 1] + in[i - 1];
          out[i] = std::fma(sum, 0.027777778F, -(in[i] * 0.16666667F));
        }
    in.swap(out);
  }
  std::copy(in.begin(), in.end(), (rounds % 2 == 0 ? volume : other).begin());
}

// Layers of convolutional networks; the three networks below chain them as their workload files do.

namespace {

/// Maps of size x size, one after another.
struct Maps {
  std::vector<float> values;
  std::int64_t count, size;
  float at(std::int64_t map, std::int64_t row, std::int64_t column) const {
    return values[(map * size + row) * size + column];
  }
};

const Maps& store(HostData& data, const std::string& name, const Maps& maps) {
  const auto out = data.f32(name, maps.values.size());
  std::copy(maps.values.begin(), maps.values.end(), out.begin());
  return maps;
}

/// The first layer: the three colours of a pixel are adjacent and are added before their sum is added to the
/// others.
Maps first_layer(HostData& data, std::int64_t count, std::int64_t r, std::int64_t stride, std::int64_t pad,
                 const std::string& bias_name) {
  const std::int64_t size = data.value("size"), out_size = (size + 2 * pad - r) / stride + 1;
  const auto x = data.f32("image", size * size * 3), w = data.f32("weights1", count * 3 * r * r);
  Maps out{std::vector<float>(count * out_size * out_size), count, out_size};
  for (std::int64_t at = 0; at < count * out_size * out_size; ++at) {
    const std::int64_t map = at / (out_size * out_size), row = at / out_size % out_size * stride - pad,
                       column = at % out_size * stride - pad;
    float sum = 0.0F;
    for (std::int64_t i = 0; i < r; ++i)
      for (std::int64_t j = 0; j < r; ++j) {
        const std::int64_t a = row + i, b = column + j;
        if (a < 0 || a >= size || b < 0 || b >= size) continue;
        const std::int64_t pixel = (a * size + b) * 3, tap = map * 3 * r * r + i * r + j;
        sum += std::fma(x[pixel + 2], w[tap + 2 * r * r],
                        std::fma(x[pixel + 1], w[tap + r * r], x[pixel] * w[tap]));
      }
    if (!bias_name.empty()) sum = std::max(sum + data.f32(bias_name, count)[map], 0.0F);
    out.values[at] = sum;
  }
  return out;
}

/// r x r with zeros around. The maps are in `groups`, each with its own group of channels. With biases, adds
/// them and applies ReLU.
Maps convolve(const Maps& in, HostSpan<float> w, std::int64_t count, std::int64_t r, std::int64_t groups,
              const HostSpan<float>* bias) {
  const std::int64_t size = in.size, pad = r / 2, channels = in.count / groups;
  Maps out{std::vector<float>(count * size * size), count, size};
  for (std::int64_t at = 0; at < count * size * size; ++at) {
    const std::int64_t map = at / (size * size), row = at / size % size, column = at % size,
                       first = map / (count / groups) * channels;
    float sum = 0.0F;
    for (std::int64_t c = 0; c < channels; ++c)
      for (std::int64_t i = 0; i < r; ++i)
        for (std::int64_t j = 0; j < r; ++j) {
          const std::int64_t a = row + i - pad, b = column + j - pad;
          if (a < 0 || a >= size || b < 0 || b >= size) continue;
          sum = std::fma(in.at(first + c, a, b), w[((map * channels + c) * r + i) * r + j], sum);
        }
    out.values[at] = bias == nullptr ? sum : std::max(sum + (*bias)[map], 0.0F);
  }
  return out;
}

/// 3 x 3 with stride 2, cut at the border.
Maps pool(const Maps& in, std::int64_t out_size) {
  Maps out{std::vector<float>(in.count * out_size * out_size), in.count, out_size};
  for (std::size_t at = 0; at < out.values.size(); ++at) {
    const auto i = static_cast<std::int64_t>(at);
    const std::int64_t map = i / (out_size * out_size), row = i / out_size % out_size * 2,
                       column = i % out_size * 2;
    float largest = 0.0F;
    for (std::int64_t a = row; a < std::min(row + 3, in.size); ++a)
      for (std::int64_t b = column; b < std::min(column + 3, in.size); ++b)
        largest = std::max(largest, in.at(map, a, b));
    out.values[at] = largest;
  }
  return out;
}

/// Response normalisation with alpha 0.0001 and beta 0.75 over the maps that the benchmark uses: from three
/// before to one after, and none before the first.
Maps respond(const Maps& in) {
  Maps out = in;
  const std::int64_t pixels = in.size * in.size;
  for (std::int64_t map = 0; map < in.count; ++map)
    for (std::int64_t p = 0; p < pixels; ++p) {
      double squares = 0;
      for (std::int64_t m = std::max<std::int64_t>(map - 2, 1); m < std::min(map + 2, in.count); ++m)
        squares += std::pow(in.values[(m - 1) * pixels + p], 2);
      out.values[map * pixels + p] =
          static_cast<float>(in.values[map * pixels + p] / std::pow(1 + 0.0001 / 5 * squares, 0.75));
    }
  return out;
}

Maps alexnet_layer(HostData& data, const Maps& in, int layer, std::int64_t r, std::int64_t groups) {
  const std::string number = std::to_string(layer);
  const std::int64_t count = data.value("maps" + number);
  const auto bias = data.f32("bias" + number, count);
  return convolve(in, data.f32("weights" + number, count * (in.count / groups) * r * r), count, r, groups,
                  &bias);
}

/// The steps after a convolution of ResNet.
void normalise(HostData& data, Maps& maps, bool relu) {
  const auto mean = data.f32("mean", maps.count), variance = data.f32("variance", maps.count),
             scale = data.f32("scale", maps.count), bias = data.f32("bias", maps.count);
  const std::int64_t pixels = maps.size * maps.size;
  for (std::size_t at = 0; at < maps.values.size(); ++at) {
    const std::int64_t map = static_cast<std::int64_t>(at) / pixels;
    const auto centred = static_cast<float>((maps.values[at] - mean[map]) / std::sqrt(variance[map] + 1e-5));
    maps.values[at] = std::fma(centred, scale[map], bias[map]);
    if (relu) maps.values[at] = std::max(maps.values[at], 0.0F);
  }
}

}  // namespace

void alexnet(HostData& data) {
  Maps maps = store(data, "conv1", first_layer(data, data.value("maps1"), 11, 4, 0, "bias1"));
  maps = store(data, "norm1", respond(maps));
  maps = store(data, "pool1", pool(maps, data.value("size2")));
  maps = store(data, "conv2", alexnet_layer(data, maps, 2, 5, 2));
  maps = store(data, "norm2", respond(maps));
  maps = store(data, "pool2", pool(maps, data.value("size3")));
  maps = store(data, "conv3", alexnet_layer(data, maps, 3, 3, 1));
  maps = store(data, "conv4", alexnet_layer(data, maps, 4, 3, 2));
  maps = store(data, "conv5", alexnet_layer(data, maps, 5, 3, 2));
  store(data, "pool5", pool(maps, data.value("size5")));
}

void resnet(HostData& data) {
  const std::int64_t count = data.value("maps");
  const auto layer = [&](const Maps& in, const std::string& name, std::int64_t maps, std::int64_t r,
                         bool relu) {
    Maps out = convolve(in, data.f32("weights_" + name, maps * in.count * r * r), maps, r, 1, nullptr);
    normalise(data, out, relu);
    store(data, name, out);
    return out;
  };
  Maps maps = first_layer(data, count, 7, 2, 3, "");
  normalise(data, maps, true);
  store(data, "conv1", maps);
  const Maps pooled = store(data, "pool1", pool(maps, data.value("size2")));
  const Maps shortcut = layer(pooled, "branch1", 4 * count, 1, false);
  maps = layer(pooled, "branch2a", count, 1, true);
  maps = layer(maps, "branch2b", count, 3, true);
  maps = layer(maps, "branch2c", 4 * count, 1, false);
  for (std::size_t at = 0; at < maps.values.size(); ++at)
    maps.values[at] = std::max(shortcut.values[at] + maps.values[at], 0.0F);
  store(data, "sum", maps);
}

// Colours are planes of integers; everything else is double.
void squeezenet(HostData& data) {
  const std::int64_t size = data.value("size"), out_size = data.value("out_size"), maps = data.value("maps");
  const auto weights = data.f64("weights", maps * 147), out = data.f64("out", maps * out_size * out_size);
  const auto red = data.i32("red", size * size), green = data.i32("green", size * size),
             blue = data.i32("blue", size * size);
  for (std::int64_t at = 0; at < maps * out_size * out_size; ++at) {
    const std::int64_t map = at / (out_size * out_size), row = at / out_size % out_size * 2,
                       column = at % out_size * 2;
    double sum = 0;
    for (std::int64_t i = 0; i < 7; ++i)
      for (std::int64_t j = 0; j < 7; ++j) {
        const std::int64_t pixel = (row + i) * size + column + j, w = map * 147 + i * 7 + j;
        sum +=
            std::fma(static_cast<double>(blue[pixel]), weights[w + 98],
                     std::fma(static_cast<double>(green[pixel]), weights[w + 49], red[pixel] * weights[w]));
      }
    out[at] = std::max(sum, 0.0);
  }
}

namespace {

constexpr std::int64_t tile = 64;

/// One line of a tile, samples `step` apart, into its smooth half and its detail half.
void lift(const std::int32_t* in, std::int32_t* out, std::int64_t step) {
  const auto at = [&](std::int64_t i) {  // mirrored at both ends
    i = i < 0 ? -i : i >= tile ? 2 * tile - 2 - i : i;
    return static_cast<std::int64_t>(in[i * step]);
  };
  const auto detail = [&](std::int64_t i) { return at(i) - ((at(i - 1) + at(i + 1)) >> 1); };
  for (std::int64_t i = 0; i < tile; i += 2) {
    out[i / 2 * step] = static_cast<std::int32_t>(at(i) + ((detail(i - 1) + detail(i + 1) + 2) >> 2));
    out[(tile / 2 + i / 2) * step] = static_cast<std::int32_t>(detail(i + 1));
  }
}

}  // namespace

void wavelet_53(HostData& data) {
  const std::int64_t width = data.value("width"), height = data.value("height");
  const auto image = data.i32("image", width * height), bands = data.i32("bands", width * height);
  std::vector<std::int32_t> rows(image.size());
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; x += tile)
      lift(image.data() + y * width + x, rows.data() + y * width + x, 1);
  for (std::int64_t y = 0; y < height; y += tile)
    for (std::int64_t x = 0; x < width; ++x)
      lift(rows.data() + y * width + x, bands.data() + y * width + x, width);
}

namespace {

/// Iterations with q0 = 0.05 and lambda = 0.5 in double precision. South and east are treated alike, so the
/// order of rows and columns does not matter.
void diffuse(std::vector<double>& now, std::int64_t rows, std::int64_t columns, std::int64_t rounds) {
  std::vector<double> c(now.size());
  const auto near = [&](std::int64_t i, std::int64_t j) {
    return std::clamp<std::int64_t>(i, 0, rows - 1) * columns + std::clamp<std::int64_t>(j, 0, columns - 1);
  };
  for (std::int64_t round = 0; round < rounds; ++round) {
    for (std::int64_t at = 0; at < rows * columns; ++at) {
      const std::int64_t i = at / columns, j = at % columns;
      double squares = 0, sum = 0;
      for (const std::int64_t other : {near(i - 1, j), near(i + 1, j), near(i, j - 1), near(i, j + 1)}) {
        squares += std::pow(now[other] - now[at], 2);
        sum += now[other] - now[at];
      }
      const double gradient = squares / (now[at] * now[at]), laplace = sum / now[at];
      const double q = (0.5 * gradient - 0.0625 * laplace * laplace) / std::pow(1 + 0.25 * laplace, 2);
      c[at] = std::clamp(1 / (1 + (q - 0.05) / (0.05 * 1.05)), 0.0, 1.0);
    }
    std::vector<double> next = now;
    for (std::int64_t at = 0; at < rows * columns; ++at) {
      const std::int64_t i = at / columns, j = at % columns;
      const double divergence =
          c[at] * (now[near(i - 1, j)] - now[at]) + c[near(i + 1, j)] * (now[near(i + 1, j)] - now[at]) +
          c[at] * (now[near(i, j - 1)] - now[at]) + c[near(i, j + 1)] * (now[near(i, j + 1)] - now[at]);
      next[at] += 0.25 * 0.5 * divergence;
    }
    now.swap(next);
  }
}

}  // namespace

void speckle_diffusion(HostData& data) {
  const std::int64_t rows = data.value("rows"), columns = data.value("columns");
  const auto image = data.f32("image", rows * columns);
  std::vector<double> now(image.begin(), image.end());
  diffuse(now, rows, columns, data.value("rounds"));
  for (std::size_t i = 0; i < now.size(); ++i) image[i] = static_cast<float>(now[i]);
}

// Column after column, from 0 to 255 by an exponential function and back.
void speckle_columns(HostData& data) {
  const std::int64_t rows = data.value("rows"), columns = data.value("columns");
  const auto image = data.f32("image", rows * columns);
  std::vector<double> now(image.begin(), image.end());
  for (double& pixel : now) pixel = std::exp(pixel / 255);
  diffuse(now, columns, rows, data.value("rounds"));
  for (std::size_t i = 0; i < now.size(); ++i) image[i] = static_cast<float>(255 * std::log(now[i]));
}

// The indices of the adjacent rows and columns; at the border its own.
void prepare_speckle_columns(HostData& data) {
  const auto fill = [&](const char* name, const char* count, std::int64_t step) {
    const std::int64_t n = data.value(count);
    const auto beside = data.i32(name, n);
    for (std::int64_t i = 0; i < n; ++i)
      beside[i] = static_cast<std::int32_t>(std::clamp<std::int64_t>(i + step, 0, n - 1));
  };
  fill("north_of", "rows", -1);
  fill("south_of", "rows", 1);
  fill("west_of", "columns", -1);
  fill("east_of", "columns", 1);
}

}  // namespace strata::traces::references
