// Euler equations on an unstructured mesh: flux over the four faces of each cell from density, momentum (two
// components) and energy of the neighbours, by averages (no upwinding). Variables are [component][cell],
// neighbours [face][cell]; -1 = the boundary, which reflects.
extern "C" __global__ void flux(const float* variables, const int* neighbours, const float* normals, float* fluxes,
                                int cells) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= cells) return;
  const float d = variables[i], mx = variables[cells + i], my = variables[2 * cells + i], e = variables[3 * cells + i];
  float total[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  for (int face = 0; face < 4; ++face) {
    const int n = neighbours[face * cells + i];
    const float nx = normals[2 * face * cells + i], ny = normals[(2 * face + 1) * cells + i];
    float nd = d, nmx = -mx, nmy = -my, ne = e;
    if (n >= 0) {
      nd = variables[n];
      nmx = variables[cells + n];
      nmy = variables[2 * cells + n];
      ne = variables[3 * cells + n];
    }
    const float density = 0.5f * (d + nd), px = 0.5f * (mx + nmx), py = 0.5f * (my + nmy), energy = 0.5f * (e + ne);
    const float pressure = 0.4f * (energy - 0.5f * (px * px + py * py) / density);
    const float through = (px * nx + py * ny) / density;
    total[0] += density * through;
    total[1] += px * through + pressure * nx;
    total[2] += py * through + pressure * ny;
    total[3] += (energy + pressure) * through;
  }
  for (int v = 0; v < 4; ++v) fluxes[v * cells + i] = total[v];
}
