// Lennard-Jones forces from neighbour lists: a thread per atom, `neighbours` lists stored [neighbour][atom].
extern "C" __global__ void lennard_jones(const float4* position, const int* list, float4* force, int atoms,
                                         int neighbours, float cutoff, float lj1, float lj2) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= atoms) return;
  const float4 p = position[i];
  float fx = 0.0f, fy = 0.0f, fz = 0.0f;
  for (int k = 0; k < neighbours; ++k) {
    const float4 q = position[list[k * atoms + i]];
    const float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
    const float square = dx * dx + dy * dy + dz * dz;
    if (square < cutoff) {
      const float inverse = 1.0f / square;
      const float sixth = inverse * inverse * inverse;
      const float strength = inverse * sixth * (lj1 * sixth - lj2);
      fx += dx * strength;
      fy += dy * strength;
      fz += dz * strength;
    }
  }
  force[i] = make_float4(fx, fy, fz, 0.0f);
}
