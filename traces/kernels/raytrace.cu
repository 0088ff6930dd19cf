// Ray tracing of spheres: a primary ray per pixel and one reflection, with hard shadows from one light.
// Spheres are {x, y, z, radius squared}; shades are one number a sphere.
__device__ int nearest(const float4* spheres, int count, float ox, float oy, float oz, float dx, float dy, float dz,
                       float* distance) {
  int hit = -1;
  float best = 1.0e20f;
  for (int i = 0; i < count; ++i) {
    const float4 s = spheres[i];
    const float cx = s.x - ox, cy = s.y - oy, cz = s.z - oz;
    const float along = cx * dx + cy * dy + cz * dz;
    const float off = cx * cx + cy * cy + cz * cz - along * along;
    if (along > 0.0f && off < s.w) {
      const float t = along - sqrtf(s.w - off);
      if (t > 0.001f && t < best) {
        best = t;
        hit = i;
      }
    }
  }
  *distance = best;
  return hit;
}

extern "C" __global__ void trace_rays(const float4* spheres, const float* shades, float* image, int count, int width,
                                      int height) {
  const int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  float ox = 0.0f, oy = 0.0f, oz = -8.0f;
  float dx = (px + 0.5f) / width * 2.0f - 1.0f, dy = (py + 0.5f) / height * 2.0f - 1.0f, dz = 2.0f;
  float colour = 0.0f, share = 1.0f;
  for (int bounce = 0; bounce < 2; ++bounce) {
    const float length = rsqrtf(dx * dx + dy * dy + dz * dz);
    dx *= length, dy *= length, dz *= length;
    float t;
    const int hit = nearest(spheres, count, ox, oy, oz, dx, dy, dz, &t);
    if (hit < 0) {
      colour += share * 0.1f;
      break;
    }
    const float4 s = spheres[hit];
    ox += t * dx, oy += t * dy, oz += t * dz;
    const float radius = rsqrtf(s.w);
    const float nx = (ox - s.x) * radius, ny = (oy - s.y) * radius, nz = (oz - s.z) * radius;
    float shadow;
    const bool dark = nearest(spheres, count, ox, oy, oz, 0.0f, 0.8f, -0.6f, &shadow) >= 0;
    const float light = dark ? 0.0f : fmaxf(0.8f * ny - 0.6f * nz, 0.0f);
    colour += share * shades[hit] * (0.2f + 0.6f * light);
    share *= 0.3f;
    const float facing = 2.0f * (dx * nx + dy * ny + dz * nz);
    dx -= facing * nx, dy -= facing * ny, dz -= facing * nz;
  }
  image[py * width + px] = colour;
}
