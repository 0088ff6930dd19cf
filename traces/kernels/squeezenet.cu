// First layer of SqueezeNet by direct convolution, 7 x 7 in steps of two: a CTA per column of the output, a thread per
// row, so that the lanes of a warp read an image row apart; each thread goes through all maps. Colours are planes of whole
// numbers, weights [map][colour][row][column] and results are double.
#define R 7

extern "C" __global__ void squeezenet_layer1(const double* weights, const int* red, const int* green, const int* blue,
                                             double* out, int size, int out_size, int maps) {
  const int x = threadIdx.x * 2, y = blockIdx.x * 2;
  for (int map = 0; map < maps; ++map) {
    double sum = 0;
    for (int i = 0; i < R; ++i) {
      for (int j = 0; j < R; ++j) {
        if (x + i >= size || y + j >= size) continue;
        const int at = (x + i) * size + y + j, w = map * 3 * R * R + i * R + j;
        sum += fma((double)blue[at], weights[w + 2 * R * R],
                   fma((double)green[at], weights[w + R * R], red[at] * weights[w]));
      }
    }
    out[(map * out_size + (int)threadIdx.x) * out_size + (int)blockIdx.x] = sum < 0 ? 0 : sum;
  }
}
