// Streams over vectors of doubles and of long integers, a grid-stride loop: v = v + c, v * c, v / c, and the
// multiply-add, repeated so that a kernel lives as long as the ones it competes with.
#define STREAM(name, type, expression)                                                                               \
  extern "C" __global__ void name(const type* a, const type* b, type* c, int n, int repetitions) {                   \
    for (int r = 0; r < repetitions; ++r)                                                                            \
      for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) c[i] = expression;     \
  }
STREAM(double_add, double, a[i] + b[i])
STREAM(double_multiply, double, a[i] * b[i])
STREAM(double_divide, double, a[i] / b[i])
STREAM(long_add, long long, a[i] + b[i])
STREAM(long_multiply, long long, a[i] * b[i])
STREAM(long_divide, long long, a[i] / b[i])
STREAM(float_multiply_add, float, fmaf(a[i], b[i], 1.0f))
STREAM(triad, float, fmaf(1.75f, b[i], a[i]))
