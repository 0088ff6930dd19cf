// Prices of European call and put options by the Black-Scholes formula; the normal distribution by the polynomial
// of Abramowitz and Stegun, 26.2.17. A thread per option.
__device__ float normal(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  const float poly =
      k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  const float tail = 0.39894228f * __expf(-0.5f * d * d) * poly;
  return d > 0 ? 1.0f - tail : tail;
}

extern "C" __global__ void black_scholes(const float* price, const float* strike, const float* years, float* call,
                                         float* put, float rate, float volatility, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float s = price[i], x = strike[i], t = years[i];
  const float spread = volatility * sqrtf(t);
  const float d1 = (__logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / spread;
  const float d2 = d1 - spread;
  const float discounted = x * __expf(-rate * t);
  const float n1 = normal(d1), n2 = normal(d2);
  call[i] = s * n1 - discounted * n2;
  put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
}
