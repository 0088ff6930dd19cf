// Prices of European calls by the binomial tree of Cox, Ross and Rubinstein: a CTA per option walks back through the
// time steps in shared memory. steps + 1 values, at most 2048.
extern "C" __global__ void binomial_options(const float* price, const float* strike, const float* years, float* value,
                                            float rate, float volatility, int steps) {
  __shared__ float tree[2049];
  const float s = price[blockIdx.x], x = strike[blockIdx.x], t = years[blockIdx.x];
  const float dt = t / steps;
  const float move = volatility * sqrtf(dt);
  const float grow = __expf(rate * dt), shrink = 1.0f / grow;
  const float up = __expf(move), down = __expf(-move);
  const float chance = (grow - down) / (up - down);
  const float weight_up = chance * shrink, weight_down = (1.0f - chance) * shrink;
  for (int i = threadIdx.x; i <= steps; i += blockDim.x)
    tree[i] = fmaxf(s * __expf(move * (2.0f * i - steps)) - x, 0.0f);
  __syncthreads();
  for (int last = steps; last > 0; --last) {
    for (int i = threadIdx.x; i - (int)threadIdx.x < last; i += blockDim.x) {
      float next = 0.0f;
      if (i < last) next = fmaf(weight_up, tree[i + 1], weight_down * tree[i]);
      __syncthreads();
      if (i < last) tree[i] = next;
      __syncthreads();
    }
  }
  if (threadIdx.x == 0) value[blockIdx.x] = tree[0];
}
