#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {

// Cutoff 16 (squared), coefficients 1.5 and 2, in double precision.
void lennard_jones(HostData& data) {
  const std::int64_t atoms = data.value("atoms"), neighbours = data.value("neighbours");
  const auto p = data.f32("position", 4 * atoms), force = data.f32("force", 4 * atoms);
  const auto list = data.i32("list", atoms * neighbours);
  for (std::int64_t i = 0; i < atoms; ++i) {
    double f[3] = {0, 0, 0};
    for (std::int64_t k = 0; k < neighbours; ++k) {
      const std::int64_t q = list[k * atoms + i];
      double d[3], square = 0;
      for (int c = 0; c < 3; ++c) {
        d[c] = static_cast<double>(p[4 * i + c]) - p[4 * q + c];
        square += d[c] * d[c];
      }
      if (square >= 16) continue;
      const double sixth = 1 / (square * square * square);
      for (int c = 0; c < 3; ++c) f[c] += d[c] * sixth / square * (1.5 * sixth - 2);
    }
    for (int c = 0; c < 3; ++c) force[4 * i + c] = static_cast<float>(f[c]);
    force[4 * i + 3] = 0;
  }
}

// Atoms on a distorted lattice of spacing 1.2 (never nearer than 0.8 to each other); neighbours are atoms
// with close indices.
void prepare_lennard_jones(HostData& data) {
  const std::int64_t atoms = data.value("atoms"), neighbours = data.value("neighbours"),
                     side = data.value("side");
  const auto p = data.f32("position", 4 * atoms);
  const auto list = data.i32("list", atoms * neighbours);
  RandomStream random(data.seed_of("position"));
  for (std::int64_t i = 0; i < atoms; ++i) {
    const std::int64_t at[3] = {i % side, i / side % side, i / side / side};
    for (int c = 0; c < 3; ++c)
      p[4 * i + c] = static_cast<float>(1.2 * static_cast<double>(at[c]) + 0.4 * (random.real() - 0.5));
    p[4 * i + 3] = 0;
    for (std::int64_t k = 0; k < neighbours; ++k) {
      auto distance =
          static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(4 * side))) - 2 * side;
      if (distance == 0) distance = 1;
      list[k * atoms + i] = static_cast<std::int32_t>(((i + distance) % atoms + atoms) % atoms);
    }
  }
}

// In double precision.
void euler_flux(HostData& data) {
  const std::int64_t cells = data.value("cells");
  const auto v = data.f32("variables", 4 * cells), normals = data.f32("normals", 8 * cells),
             fluxes = data.f32("fluxes", 4 * cells);
  const auto neighbours = data.i32("neighbours", 4 * cells);
  for (std::int64_t i = 0; i < cells; ++i) {
    double total[4] = {0, 0, 0, 0};
    for (std::int64_t face = 0; face < 4; ++face) {
      const std::int64_t n = neighbours[face * cells + i];
      const double nx = normals[2 * face * cells + i], ny = normals[(2 * face + 1) * cells + i];
      double mean[4];
      for (std::int64_t k = 0; k < 4; ++k) {
        const double own = v[k * cells + i];
        const double other = n >= 0 ? static_cast<double>(v[k * cells + n]) : k == 1 || k == 2 ? -own : own;
        mean[k] = 0.5 * (own + other);
      }
      const double pressure = 0.4 * (mean[3] - 0.5 * (mean[1] * mean[1] + mean[2] * mean[2]) / mean[0]);
      const double through = (mean[1] * nx + mean[2] * ny) / mean[0];
      total[0] += mean[0] * through;
      total[1] += mean[1] * through + pressure * nx;
      total[2] += mean[2] * through + pressure * ny;
      total[3] += (mean[3] + pressure) * through;
    }
    for (std::int64_t k = 0; k < 4; ++k) fluxes[k * cells + i] = static_cast<float>(total[k]);
  }
}

namespace {

constexpr float cutoff = 2.0F, beta = 10.0F;

std::size_t bin_of(const float* sample, std::size_t size) {
  return (static_cast<std::size_t>(sample[4]) * size + static_cast<std::size_t>(sample[3])) * size +
         static_cast<std::size_t>(sample[2]);
}

// Series of the modified Bessel function of order zero.
float window(float quarter) {
  float sum = 1.0F, term = 1.0F;
  for (int k = 1; k <= 13; ++k) {
    term *= quarter / static_cast<float>(k * k);
    sum += term;
  }
  return sum;
}

}  // namespace

// Each sample spread over the points around it.
void grid_samples(HostData& data) {
  const auto size = static_cast<std::size_t>(data.value("size"));
  const auto samples = data.f32("input");
  const std::size_t number = samples.size() / 6;
  const auto keys = data.u32("keys", number), numbers = data.u32("numbers", number);
  const auto grid = data.f32("grid", 2 * size * size * size), density = data.f32("density", grid.size() / 2);
  std::fill(grid.begin(), grid.end(), 0.0F);
  std::fill(density.begin(), density.end(), 0.0F);
  for (std::size_t i = 0; i < number; ++i) {
    const float* const s = samples.data() + 6 * i;
    keys[i] = static_cast<std::uint32_t>(bin_of(s, size));
    numbers[i] = static_cast<std::uint32_t>(i);
    const auto from = [&](int axis) { return static_cast<std::size_t>(std::max(s[axis] - cutoff, 0.0F)); };
    const auto until = [&](int axis) {
      return std::min(static_cast<std::size_t>(s[axis] + cutoff) + 1, size);
    };
    for (std::size_t z = from(4); z < until(4); ++z)
      for (std::size_t y = from(3); y < until(3); ++y)
        for (std::size_t x = from(2); x < until(2); ++x) {
          const float dx = s[2] - static_cast<float>(x), dy = s[3] - static_cast<float>(y),
                      dz = s[4] - static_cast<float>(z);
          const float distance = std::fma(dz, dz, std::fma(dx, dx, dy * dy));
          if (distance >= cutoff * cutoff) continue;
          const float share = window(beta * beta * 0.25F * (1.0F - distance / (cutoff * cutoff))) * s[5];
          const std::size_t at = (z * size + y) * size + x;
          grid[2 * at] += share * s[0];
          grid[2 * at + 1] += share * s[1];
          density[at] += 1.0F;
        }
  }
}

// Samples on lines along x, in a scanner's order; the order of their bins, and the begin of each bin.
void prepare_grid_samples(HostData& data) {
  const auto size = static_cast<std::size_t>(data.value("size"));
  const auto line = static_cast<std::size_t>(data.value("line"));
  const auto samples = data.f32("input");
  const std::size_t number = samples.size() / 6;
  const auto order = data.u32("order", number), begins = data.u32("begins", size * size * size + 1);
  RandomStream random(data.seed_of("input"));
  const auto edge = static_cast<float>(size) * 0.999F;
  float y = 0, z = 0;
  for (std::size_t i = 0; i < number; ++i) {
    float* const s = samples.data() + 6 * i;
    if (i % line == 0) {
      y = static_cast<float>(random.real()) * edge;
      z = static_cast<float>(random.real()) * edge;
    }
    s[0] = static_cast<float>(random.real()) + 0.5F;
    s[1] = static_cast<float>(random.real()) + 0.5F;
    s[2] =
        (static_cast<float>(i % line) + static_cast<float>(random.real())) / static_cast<float>(line) * edge;
    s[3] = y;
    s[4] = z;
    s[5] = static_cast<float>(random.real()) + 0.5F;
  }
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return bin_of(samples.data() + 6 * a, size) < bin_of(samples.data() + 6 * b, size);
  });
  for (std::size_t i = 0; i < number; ++i) ++begins[bin_of(samples.data() + 6 * i, size) + 1];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
}

namespace {

struct Vector {
  double x, y, z;
};
double dot(const Vector& a, const Vector& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
Vector along(const Vector& from, double t, const Vector& to) {
  return {from.x + t * to.x, from.y + t * to.y, from.z + t * to.z};
}

std::int64_t nearest_sphere(HostSpan<float> spheres, std::int64_t count, const Vector& origin,
                            const Vector& ray, double& distance) {
  std::int64_t hit = -1;
  distance = 1e20;
  for (std::int64_t i = 0; i < count; ++i) {
    const Vector c = along({spheres[4 * i], spheres[4 * i + 1], spheres[4 * i + 2]}, -1, origin);
    const double forward = dot(c, ray), off = dot(c, c) - forward * forward, square = spheres[4 * i + 3];
    if (forward <= 0 || off >= square) continue;
    const double t = forward - std::sqrt(square - off);
    if (t > 0.001 && t < distance) distance = t, hit = i;
  }
  return hit;
}

}  // namespace

// In double precision: a ray that grazes a sphere in one precision may miss it in the other, so the workload
// allows a few pixels (`outliers`) instead of a large error.
void ray_trace(HostData& data) {
  const std::int64_t count = data.value("spheres_all"), width = data.value("width"),
                     height = data.value("height");
  const auto spheres = data.f32("spheres", 4 * count), shades = data.f32("shades", count),
             image = data.f32("image", width * height);
  for (std::int64_t pixel = 0; pixel < width * height; ++pixel) {
    Vector origin = {0, 0, -8};
    Vector ray = {(static_cast<double>(pixel % width) + 0.5) / static_cast<double>(width) * 2 - 1,
                  (static_cast<double>(pixel / width) + 0.5) / static_cast<double>(height) * 2 - 1, 2};
    double colour = 0, share = 1;
    for (int bounce = 0; bounce < 2; ++bounce) {
      const double length = 1 / std::sqrt(dot(ray, ray));
      ray = {ray.x * length, ray.y * length, ray.z * length};
      double t = 0, shadow = 0;
      const std::int64_t hit = nearest_sphere(spheres, count, origin, ray, t);
      if (hit < 0) {
        colour += share * 0.1;
        break;
      }
      origin = along(origin, t, ray);
      const Vector out = along(origin, -1, {spheres[4 * hit], spheres[4 * hit + 1], spheres[4 * hit + 2]});
      const double scale = 1 / std::sqrt(static_cast<double>(spheres[4 * hit + 3]));
      const Vector normal = {out.x * scale, out.y * scale, out.z * scale};
      const bool dark = nearest_sphere(spheres, count, origin, {0, 0.8, -0.6}, shadow) >= 0;
      colour +=
          share * shades[hit] * (0.2 + 0.6 * (dark ? 0 : std::max(0.8 * normal.y - 0.6 * normal.z, 0.0)));
      share *= 0.3;
      ray = along(ray, -2 * dot(ray, normal), normal);
    }
    image[pixel] = static_cast<float>(colour);
  }
}

}  // namespace strata::traces::references
