// Layers of convolutional networks by direct convolution: a thread per output pixel of one map, CTAs along pixels
// (x) and maps (y); with fewer threads along x than pixels, each goes on to the next that is left. Tensors are
// [channel][row][column] with in_plane and out_plane elements a channel, weights [map][channel][row][column].
template <int R, int Stride, int Pad>
__device__ __forceinline__ void convolve(const float* in, const float* weights, const float* bias, float* out,
                                         int channels, int height, int width, int in_plane, int out_height,
                                         int out_width, int out_plane) {
  const int map = blockIdx.y;
  for (int pixel = blockIdx.x * blockDim.x + threadIdx.x; pixel < out_height * out_width;
       pixel += gridDim.x * blockDim.x) {
    const int top = pixel / out_width * Stride - Pad, left = pixel % out_width * Stride - Pad;
    float sum = bias[map];
    for (int c = 0; c < channels; ++c) {
      const float* plane = in + c * in_plane;
      const float* w = weights + (map * channels + c) * R * R;
#pragma unroll
      for (int y = 0; y < R; ++y) {
#pragma unroll
        for (int x = 0; x < R; ++x) {
          const int row = top + y, column = left + x;
          if (Pad == 0 || (row >= 0 && row < height && column >= 0 && column < width))
            sum = fmaf(w[y * R + x], plane[row * width + column], sum);
        }
      }
    }
    out[map * out_plane + pixel] = fmaxf(sum, 0.0f);
  }
}

#define LAYER(name, r, stride, pad)                                                                                \
  extern "C" __global__ void name(const float* in, const float* weights, const float* bias, float* out,            \
                                  int channels, int height, int width, int in_plane, int out_height,               \
                                  int out_width, int out_plane) {                                                  \
    convolve<r, stride, pad>(in, weights, bias, out, channels, height, width, in_plane, out_height, out_width,     \
                             out_plane);                                                                           \
  }
LAYER(conv_11x11_stride4, 11, 4, 0)
LAYER(conv_7x7_stride2, 7, 2, 0)
LAYER(conv_7x7_stride2_pad3, 7, 2, 3)
LAYER(conv_5x5_pad2, 5, 1, 2)
LAYER(conv_3x3_pad1, 3, 1, 1)

// 1 x 1: a matrix product, so the channels are unrolled instead.
extern "C" __global__ void conv_1x1(const float* in, const float* weights, const float* bias, float* out,
                                    int channels, int pixels, int in_plane, int out_plane) {
  const int pixel = blockIdx.x * blockDim.x + threadIdx.x;
  const int map = blockIdx.y;
  if (pixel >= pixels) return;
  float sum = bias[map];
#pragma unroll 8
  for (int c = 0; c < channels; ++c) sum = fmaf(weights[map * channels + c], in[c * in_plane + pixel], sum);
  out[map * out_plane + pixel] = fmaxf(sum, 0.0f);
}

// The largest of 3 x 3, two apart; windows are cut at the border.
extern "C" __global__ void max_pool_3x3_stride2(const float* in, float* out, int height, int width, int in_plane,
                                                int out_height, int out_width, int out_plane) {
  const float* plane = in + blockIdx.y * in_plane;
  for (int pixel = blockIdx.x * blockDim.x + threadIdx.x; pixel < out_height * out_width;
       pixel += gridDim.x * blockDim.x) {
    const int top = pixel / out_width * 2, left = pixel % out_width * 2;
    float largest = plane[top * width + left];
#pragma unroll
    for (int y = 0; y < 3; ++y) {
#pragma unroll
      for (int x = 0; x < 3; ++x)
        if (top + y < height && left + x < width) largest = fmaxf(largest, plane[(top + y) * width + left + x]);
    }
    out[blockIdx.y * out_plane + pixel] = largest;
  }
}
