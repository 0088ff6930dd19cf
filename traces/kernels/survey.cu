// Survey propagation on random 3-SAT (Braunstein, Mezard, Zecchina 2005): surveys run from clauses to variables.
// Kernel 1 multiplies 1 - survey over the positive and over the negative occurrences of each variable; kernel 2 makes
// new surveys from these, the own one divided out. Edges 3c, 3c + 1, 3c + 2 are of clause c; `literal` is
// variable * 2 + (1 when negated).
extern "C" __global__ void variable_products(const int* first, const int* edges, const int* literal,
                                             const float* survey, float* positive, float* negative, int variables) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= variables) return;
  float plus = 1.0f, minus = 1.0f;
  for (int i = first[v]; i < first[v + 1]; ++i) {
    const int edge = edges[i];
    const float free = 1.0f - survey[edge];
    if (literal[edge] & 1)
      minus *= free;
    else
      plus *= free;
  }
  positive[v] = plus;
  negative[v] = minus;
}

extern "C" __global__ void clause_surveys(const int* literal, const float* positive, const float* negative,
                                          const float* survey, float* next, int clauses) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= clauses) return;
  float warn[3];  // the probability that this variable cannot satisfy the clause
  for (int i = 0; i < 3; ++i) {
    const int l = literal[3 * c + i], v = l >> 1;
    const float same_all = l & 1 ? negative[v] : positive[v], other = l & 1 ? positive[v] : negative[v];
    const float same = same_all / (1.0f - survey[3 * c + i]);
    const float unsatisfied = (1.0f - other) * same, satisfied = (1.0f - same) * other, none = same * other;
    warn[i] = unsatisfied / (unsatisfied + satisfied + none);
  }
  next[3 * c] = warn[1] * warn[2];
  next[3 * c + 1] = warn[0] * warn[2];
  next[3 * c + 2] = warn[0] * warn[1];
}
