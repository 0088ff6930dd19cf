// Sparse matrix in jagged diagonals times vector, a thread per row: rows are sorted by length, longest first, and the k-th
// numbers of all rows that have one lie side by side. Rows of a warp are as long as their first one.
__constant__ int diagonals[64];  // where the k-th numbers of the rows begin
__constant__ int lengths[5000];  // of the rows of a warp

extern "C" __global__ void spmv_jagged(float* y, const float* value, const int* column, const int* row_of,
                                       const float* x, int rows) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows) return;
  const int length = lengths[i / 32];
  int at = diagonals[0] + i;
  int here = column[at];
  float sum = 0;
  for (int k = 1; k < length; ++k) {  // the next column is asked for before x is gathered at this one
    const float number = value[at];
    at = diagonals[k] + i;
    const int next = column[at];
    sum = fmaf(number, x[here], sum);
    here = next;
  }
  y[row_of[i]] = fmaf(value[at], x[here], sum);
}
