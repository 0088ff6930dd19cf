// Layers of ResNet-50 by direct convolution: a CTA of 32 x 32 threads per map, a square of `part` x `part` output pixels
// per thread, the first index of a thread along rows, so that the lanes of a warp read `part` image rows apart. Images are
// [row][column][colour], maps [map][row][column], weights [map][channel][row][column]. Each step after a convolution is a
// kernel of its own.
//
// A CTA has 1024 threads and an SM 32 K registers: what is cheap to ask for or to compute again is not kept in a
// register. `volatile` keeps the compiler from taking it out of the loops.
#define ASK(name, what)                                      \
  __device__ __forceinline__ int name() {                    \
    int value;                                               \
    asm volatile("mov.u32 %0, " what ";" : "=r"(value));     \
    return value;                                            \
  }
__device__ __forceinline__ int again(int value) {
  asm volatile("" : "+r"(value));
  return value;
}
ASK(map, "%%ctaid.x")
ASK(thread_x, "%%tid.x")
ASK(thread_y, "%%tid.y")

#define EACH_PIXEL(size)                                                \
  if (thread_x() * part >= size || thread_y() * part >= size) return;   \
  _Pragma("unroll 1") for (int pixel = 0; pixel < again(part) * part; ++pixel)
#define ROW (thread_x() * part + pixel / part)
#define COLUMN (thread_y() * part + pixel % part)
#define AT(size) ((map() * size + ROW) * size + COLUMN)

// The window of an output pixel, cut at the borders of a square.
struct Window {
  int from, skip, count;
};
__device__ __forceinline__ Window window(int begin, int r, int size) {
  const int from = max(begin, 0), skip = from - begin;
  return {from, skip, again(min(r, size - begin) - skip)};
}

// 7 x 7 in steps of two, three pixels around.
extern "C" __global__ void resnet_layer1(const float* image, const float* weights, float* out, int size, int out_size,
                                         int part) {
  EACH_PIXEL(out_size) {
    const Window y = window(ROW * 2 - 3, 7, size), x = window(COLUMN * 2 - 3, 7, size);
    const float* colours = image + (y.from * size + x.from) * 3;
    const float* w = weights + map() * 147 + y.skip * 7 + x.skip;
    float sum = 0.0f;
#pragma unroll 1
    for (int i = y.count; i > 0; --i) {
#pragma unroll 1
      for (int j = x.count; j > 0; --j, colours += 3, ++w)
        sum += fmaf(colours[2], w[98], fmaf(colours[1], w[49], colours[0] * w[0]));
      colours += 3 * (again(size) - x.count);
      w += 7 - again(x.count);
    }
    out[AT(out_size)] = sum;
  }
}

extern "C" __global__ void resnet_convolution(const float* in, const float* weights, float* out, int size, int r,
                                              int channels, int part) {
  EACH_PIXEL(size) {
    const Window y = window(ROW - again(r) / 2, r, size), x = window(COLUMN - again(r) / 2, r, size);
    const float* value = in + y.from * size + x.from;
    const float* w = weights + map() * again(channels) * again(r) * r + y.skip * r + x.skip;
    float sum = 0.0f;
#pragma unroll 1
    for (int c = channels; c > 0; --c) {
#pragma unroll 1
      for (int i = y.count; i > 0; --i) {
#pragma unroll 1
        for (int j = x.count; j > 0; --j, ++value, ++w) sum = fmaf(*value, *w, sum);
        value += again(size) - x.count;
        w += again(r) - x.count;
      }
      value += (again(size) - y.count) * size;
      w += (again(r) - y.count) * r;
    }
    out[AT(size)] = sum;
  }
}

extern "C" __global__ void resnet_batch_norm(float* maps, const float* mean, const float* variance, int size,
                                             int part) {
  EACH_PIXEL(size) {
    float& value = maps[AT(size)];
    value = (value - mean[map()]) / sqrt(variance[map()] + 1e-5);
  }
}

extern "C" __global__ void resnet_scale(float* maps, const float* scale, const float* bias, int size, int part) {
  EACH_PIXEL(size) {
    float& value = maps[AT(size)];
    value = fmaf(value, scale[map()], bias[map()]);
  }
}

extern "C" __global__ void resnet_relu(float* maps, int size, int part) {
  EACH_PIXEL(size) {
    float& value = maps[AT(size)];
    if (value < 0.0f) value = 0.0f;
  }
}

// 3 x 3 in steps of two.
extern "C" __global__ void resnet_pooling(const float* in, float* out, int size, int out_size, int part) {
  EACH_PIXEL(out_size) {
    float largest = 0.0f;
    const Window y = window(ROW * 2, 3, size), x = window(COLUMN * 2, 3, size);
    const float* value = in + (map() * size + y.from) * size + x.from;
#pragma unroll 1
    for (int i = y.count; i > 0; --i) {
#pragma unroll 1
      for (int j = x.count; j > 0; --j, ++value)
        if (largest < *value) largest = *value;
      value += again(size) - x.count;
    }
    out[AT(out_size)] = largest;
  }
}

extern "C" __global__ void resnet_add(const float* a, const float* b, float* sum, int size, int part) {
  EACH_PIXEL(size) {
    const int at = AT(size);
    sum[at] = a[at] + b[at];
  }
}
