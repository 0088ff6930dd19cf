// A fully connected layer over a batch: CTAs along images (x) and neurons (y), a thread per neuron. All images read
// all weights, [input][neuron], at about the same time. The activation is x / (1 + |x|).
extern "C" __global__ void dense_layer(const float* input, const float* weights, const float* bias, float* output,
                                       int inputs, int neurons) {
  const int neuron = blockIdx.y * blockDim.x + threadIdx.x;
  if (neuron >= neurons) return;
  const float* image = input + blockIdx.x * inputs;
  float sum = bias[neuron];
#pragma unroll 16
  for (int i = 0; i < inputs; ++i) sum = fmaf(image[i], weights[i * neurons + neuron], sum);
  output[blockIdx.x * neurons + neuron] = sum / (1.0f + fabsf(sum));
}
