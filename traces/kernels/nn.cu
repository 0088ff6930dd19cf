// A network that reads digits (LeCun's LeNet in the small form of the GPGPU-Sim suite), four layers over a batch of images:
// CTAs along neurons or maps (x) and images (y). Layers 1 and 2 are convolutions of 5 x 5 in steps of two, a thread per
// pixel of a map of 13 x 13 or 5 x 5; layers 3 and 4 are fully connected, one thread per CTA. Weights begin with a bias.
__device__ __forceinline__ float activation(float x) { return 1.7159f * tanhf(0.66666667f * x); }

extern "C" __global__ void nn_layer1(const float* in, const float* weights, float* out) {
  const int map = blockIdx.x, x = threadIdx.x, y = threadIdx.y, image = blockIdx.y;
  const float* w = weights + map * 26;
  float sum = w[0];
  for (int i = 0; i < 25; ++i)
    sum = fmaf(in[image * 29 * 29 + (y * 2 + i / 5) * 29 + x * 2 + i % 5], w[1 + i], sum);
  out[(image * 6 + map) * 169 + y * 13 + x] = activation(sum);
}

extern "C" __global__ void nn_layer2(const float* in, const float* weights, float* out) {
  const int map = blockIdx.x, x = threadIdx.x, y = threadIdx.y, image = blockIdx.y;
  const float* w = weights + map * 26 * 6;
  float sum = w[0];
  for (int i = 0; i < 25; ++i)
    for (int c = 0; c < 6; ++c)
      sum = fmaf(in[(image * 6 + c) * 169 + (y * 2 + i / 5) * 13 + x * 2 + i % 5], w[1 + i * 6 + c], sum);
  out[image * 1250 + map * 25 + y * 5 + x] = activation(sum);
}

__device__ __forceinline__ void neuron(const float* in, const float* weights, float* out, int inputs) {
  const float* w = weights + blockIdx.x * (inputs + 1);
  float sum = w[0];
  for (int i = 0; i < inputs; ++i) sum = fmaf(in[blockIdx.y * inputs + i], w[1 + i], sum);
  out[blockIdx.y * gridDim.x + blockIdx.x] = activation(sum);
}

extern "C" __global__ void nn_layer3(const float* in, const float* weights, float* out) {
  neuron(in, weights, out, 1250);
}

extern "C" __global__ void nn_layer4(const float* in, const float* weights, float* out) {
  neuron(in, weights, out, 100);
}
