// Training of one fully connected layer, many inputs to 16 hidden units: partial sums of the forward pass, then
// the weight update with momentum. A CTA of 16 x 16 owns 16 inputs; weights are [input + 1][hidden + 1], row 0 and
// column 0 are the bias's.
#define H 16

extern "C" __global__ void layer_forward(const float* input, const float* weights, float* partial) {
  __shared__ float in[H], product[H][H];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.x * H + y + 1;
  if (x == 0) in[y] = input[row];
  __syncthreads();
  product[y][x] = weights[row * (H + 1) + x + 1] * in[y];
  __syncthreads();
  for (int half = H / 2; half > 0; half /= 2) {
    if (y < half) product[y][x] += product[y + half][x];
    __syncthreads();
  }
  if (y == 0) partial[blockIdx.x * H + x] = product[0][x];
}

extern "C" __global__ void adjust_weights(const float* delta, const float* input, float* weights, float* previous,
                                          float rate, float momentum) {
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = (gridDim.x - 1 - blockIdx.x) * H + y + 1;  // backwards: what was read last is still in the caches
  const int at = row * (H + 1) + x + 1;
  const float change = fmaf(rate * delta[x + 1], input[row], momentum * previous[at]);
  weights[at] += change;
  previous[at] = change;
}
