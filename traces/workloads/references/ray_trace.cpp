#include <algorithm>
#include <cmath>

#include "traces/workloads/references/all.h"

namespace strata::traces::references {
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
// allows for a few pixels (`outliers`), not for a wide error.
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
