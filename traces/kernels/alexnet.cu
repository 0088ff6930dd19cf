// Layers of AlexNet by direct convolution: a CTA per map, a thread per output pixel, the first index of a thread along
// rows, so that the lanes of a warp read an image row apart. Images are [row][column][colour], maps [map][row][column],
// weights [map][channel][row][column]. Layers 2, 4 and 5 come in two halves, one kernel each.

// 11 x 11 in steps of four. Output pixels beyond 32 x 32 are other launches, at an offset.
extern "C" __global__ void alexnet_layer1(const float* bias, const float* image, const float* weights, float* out,
                                          int width, int out_width, int first_row, int first_column) {
  const int map = blockIdx.x, row = threadIdx.x + first_row, column = threadIdx.y + first_column;
  const float* corner = image + (row * 4 * width + column * 4) * 3;
  const float* w = weights + map * 3 * 121;
  float sum = 0.0f;
  for (int i = 0; i < 11; ++i)
    for (int j = 0; j < 11; ++j) {
      const float* pixel = corner + (i * width + j) * 3;
      sum += fmaf(pixel[2], w[242 + i * 11 + j], fmaf(pixel[1], w[121 + i * 11 + j], pixel[0] * w[i * 11 + j]));
    }
  sum += bias[map];
  out[(map * out_width + row) * out_width + column] = sum < 0.0f ? 0.0f : sum;
}

// r x r with `pad` around a square, from `channels` maps beginning with `first`.
__device__ __forceinline__ void convolve(const float* bias, const float* in, const float* weights, float* out, int map,
                                         int first, int size, int r, int pad, int channels) {
  const int row = threadIdx.x, column = threadIdx.y;
  const int top = row < pad ? 0 : row - pad, left = column < pad ? 0 : column - pad;
  const int skip_rows = row < pad ? pad - row : 0, skip_columns = column < pad ? pad - column : 0;
  const int rows = row >= size - pad ? size + pad - row : r - skip_rows;
  const int columns = column >= size - pad ? size + pad - column : r - skip_columns;
  float sum = 0.0f;
  for (int c = 0; c < channels; ++c)
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j)
        sum = fmaf(in[((first + c) * size + top + i) * size + left + j],
                   weights[((map * channels + c) * r + skip_rows + i) * r + skip_columns + j], sum);
  sum += bias[map];
  out[(map * size + row) * size + column] = sum < 0.0f ? 0.0f : sum;
}

extern "C" __global__ void alexnet_convolution(const float* bias, const float* in, const float* weights, float* out,
                                               int maps, int size, int r, int pad, int channels) {
  convolve(bias, in, weights, out, blockIdx.x, 0, size, r, pad, channels);
}

extern "C" __global__ void alexnet_convolution_half2(const float* bias, const float* in, const float* weights,
                                                     float* out, int maps, int size, int r, int pad, int channels) {
  convolve(bias, in, weights, out, blockIdx.x + maps, channels, size, r, pad, channels);
}

// Local response normalisation over the maps beside each; which maps those are at both ends follows the benchmark.
__device__ __forceinline__ void respond(const float* in, float alpha, float beta, int neighbours, int maps, int size,
                                        float* out, int row, int column) {
  const int map = blockIdx.x;
  const int first = map - 2 > 1 ? map - 2 : 1, last = map + 2 < maps ? map + 2 : maps;
  float squares = 0.0f;
  for (int m = first - 1; m < last - 1; ++m) {
    const float value = in[(m * size + row) * size + column];
    squares = fmaf(value, value, squares);
  }
  const int at = (map * size + row) * size + column;
  out[at] = in[at] / powf(1.0f + alpha / neighbours * squares, beta);
}

extern "C" __global__ void alexnet_normalisation(const float* in, float alpha, float beta, int neighbours, int maps,
                                                 int size, float* out) {
  respond(in, alpha, beta, neighbours, maps, size, out, threadIdx.x, threadIdx.y);
}

extern "C" __global__ void alexnet_normalisation_part(const float* in, float alpha, float beta, int neighbours,
                                                      int maps, int size, float* out, int first_row,
                                                      int first_column) {
  respond(in, alpha, beta, neighbours, maps, size, out, threadIdx.x + first_row, threadIdx.y + first_column);
}

extern "C" __global__ void alexnet_pooling(const float* in, float* out, int out_size, int r, int stride, int size) {
  const int map = blockIdx.x, row = threadIdx.x, column = threadIdx.y;
  float largest = 0.0f;
  for (int i = 0; i < r; ++i)
    for (int j = 0; j < r; ++j) {
      const float value = in[(map * size + row * stride + i) * size + column * stride + j];
      if (largest < value) largest = value;
    }
  out[(map * out_size + row) * out_size + column] = largest;
}
