/* Vectors, matrices with vectors, and triangular systems. All numbers are small integers, or such by powers
   of two, so that every order of additions gives the same. */
#include "blas_host.h"

/* A call of both types: `call` with S or D, its scalars from places that hold either. */
#define BOTH(type, call, ...) \
  (type == f32 ? cublasS##call(blas, __VA_ARGS__) : cublasD##call(blas, __VA_ARGS__))

enum { longest = 5000, spread = 3 };

static handle blas;

struct vector {
  char* host;
  void* device;
  size_t bytes;
};
static struct vector draw(int type, size_t count) {
  struct vector v = {malloc(count * bytes_of(type)), NULL, count * bytes_of(type)};
  for (size_t i = 0; i < count; ++i) put_element(type, v.host, i, drawn());
  v.device = on_device(v.host, v.bytes);
  return v;
}
static void same(const char* what, int type, struct vector* v) {
  char* got = malloc(v->bytes);
  int wrong = 0;
  cudaMemcpy(got, v->device, v->bytes, to_host);
  for (size_t i = 0; i < v->bytes / bytes_of(type); ++i)
    wrong += element(type, got, i) != element(type, v->host, i);
  expect(what, wrong, 0);
  free(got);
}
static void drop(struct vector* v) {
  free(v->host);
  cudaFree(v->device);
}

/* Where element i of a vector of n lies: from its end where the step is negative. */
static size_t place(int i, int n, int step) {
  return (size_t)(step < 0 ? (i - n + 1) * step : i * step);
}

static double number(int type, const void* at) {
  return element(type, at, 0);
}

static void elements(int type, int n, int xs, int ys) {
  struct vector x = draw(type, (size_t)n * spread), y = draw(type, (size_t)n * spread);
  double three[1];
  put_element(type, three, 0, 3);
  expect("axpy", BOTH(type, axpy_v2, n, (void*)three, x.device, xs, y.device, ys), 0);
  for (int i = 0; i < n; ++i) {
    const size_t at = place(i, n, ys);
    put_element(type, y.host, at, 3 * element(type, x.host, place(i, n, xs)) + element(type, y.host, at));
  }
  same("axpy", type, &y);
  void* of_device = on_device(three, sizeof three);
  cublasSetPointerMode_v2(blas, 1);
  expect("scal", BOTH(type, scal_v2, n, of_device, x.device, 2), 0);
  cublasSetPointerMode_v2(blas, 0);
  for (int i = 0; i < n; ++i)
    put_element(type, x.host, (size_t)i * 2, 3 * element(type, x.host, (size_t)i * 2));
  same("scal", type, &x);
  expect("swap", BOTH(type, swap_v2, n, x.device, xs, y.device, ys), 0);
  for (int i = 0; i < n; ++i) {
    const double a = element(type, x.host, place(i, n, xs)), b = element(type, y.host, place(i, n, ys));
    put_element(type, x.host, place(i, n, xs), b);
    put_element(type, y.host, place(i, n, ys), a);
  }
  same("swap", type, &x);
  same("swap", type, &y);
  expect("copy", BOTH(type, copy_v2, n, x.device, xs, y.device, ys), 0);
  for (int i = 0; i < n; ++i)
    put_element(type, y.host, place(i, n, ys), element(type, x.host, place(i, n, xs)));
  same("copy", type, &y);
  drop(&x);
  drop(&y);
  cudaFree(of_device);
}

static void sums(int type, int n, int xs, int ys) {
  struct vector x = draw(type, (size_t)n * spread), y = draw(type, (size_t)n * spread);
  double result[1], dot = 0, sizes = 0, squares = 0;
  int first[2] = {0, 0}, at = 0;
  for (int i = 0; i < n; ++i) {
    const double a = element(type, x.host, place(i, n, xs)), b = element(type, y.host, place(i, n, ys));
    dot += a * b;
    sizes += fabs(b);
    squares += a * a;
  }
  expect("dot", BOTH(type, dot_v2, n, x.device, xs, y.device, ys, (void*)result), 0);
  expect("dot", (long)number(type, result), (long)dot);
  expect("asum", BOTH(type, asum_v2, n, y.device, ys, (void*)result), 0);
  expect("asum", (long)number(type, result), (long)sizes);
  expect("nrm2", BOTH(type, nrm2_v2, n, x.device, xs, (void*)result), 0);
  expect("nrm2", number(type, result) == (type == f32 ? (float)sqrt(squares) : sqrt(squares)), 1);
  if (xs > 0) { /* of equals the first */
    for (int i = 1; i < n; ++i) {
      const double now = fabs(element(type, x.host, place(i, n, xs)));
      if (now > fabs(element(type, x.host, place(first[0], n, xs)))) first[0] = i;
      if (now < fabs(element(type, x.host, place(first[1], n, xs)))) first[1] = i;
    }
    expect("amax",
           type == f32 ? cublasIsamax_v2(blas, n, x.device, xs, &at)
                       : cublasIdamax_v2(blas, n, x.device, xs, &at),
           0);
    expect("amax", at, first[0] + 1);
    expect("amin",
           type == f32 ? cublasIsamin_v2(blas, n, x.device, xs, &at)
                       : cublasIdamin_v2(blas, n, x.device, xs, &at),
           0);
    expect("amin", at, first[1] + 1);
  }
  /* The result on the device, where the host does not wait for it. */
  result[0] = 0;
  void* of_device = on_device(result, sizeof result);
  cublasSetPointerMode_v2(blas, 1);
  expect("dot", BOTH(type, dot_v2, n, x.device, xs, y.device, ys, of_device), 0);
  cublasSetPointerMode_v2(blas, 0);
  cudaMemcpy(result, of_device, sizeof result, to_host);
  expect("dot on the device", (long)number(type, result), (long)dot);
  expect("nothing", BOTH(type, dot_v2, 0, NULL, 1, NULL, 1, (void*)result), 0);
  expect("nothing", (long)number(type, result), 0);
  drop(&x);
  drop(&y);
  cudaFree(of_device);
}

static void matrix(int type, int m, int n, int xs, int ys) {
  const int pitch = m + 2;
  double two[1], half[1];
  put_element(type, two, 0, 2);
  put_element(type, half, 0, 0.5);
  for (int operation = 0; operation < 2; ++operation) {
    const int in = operation == 0 ? n : m, out = operation == 0 ? m : n;
    struct vector a = draw(type, (size_t)pitch * (size_t)n), x = draw(type, (size_t)in * spread),
                  y = draw(type, (size_t)out * spread);
    expect("gemv",
           BOTH(type, gemv_v2, operation, m, n, (void*)two, a.device, pitch, x.device, xs, (void*)half,
                y.device, ys),
           0);
    for (int i = 0; i < out; ++i) {
      double sum = 0;
      for (int j = 0; j < in; ++j)
        sum += element(type, a.host, (size_t)(operation == 0 ? i + j * pitch : j + i * pitch)) *
               element(type, x.host, place(j, in, xs));
      const size_t at = place(i, out, ys);
      put_element(type, y.host, at, 2 * sum + 0.5 * element(type, y.host, at));
    }
    same("gemv", type, &y);
    if (operation == 0) { /* y has a row's number of elements, x a column's */
      expect("ger", BOTH(type, ger_v2, m, n, (void*)half, y.device, ys, x.device, xs, a.device, pitch), 0);
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
          const size_t at = (size_t)(i + j * pitch);
          put_element(type, a.host, at,
                      0.5 * element(type, y.host, place(i, m, ys)) * element(type, x.host, place(j, n, xs)) +
                          element(type, a.host, at));
        }
      same("ger", type, &a);
    }
    drop(&a);
    drop(&x);
    drop(&y);
  }
}

/* Systems made of a known X: B = op(A) X / alpha, or X op(A) / alpha, with alpha 1/2 and diagonals of 1, 2
   and 4. What lies on the other side of the diagonal, and on one of ones, is not to be read. */
static void triangle(int type, int side, int fill, int operation, int unit) {
  enum { m = 7, n = 5, pitch = 9, matrices = 2 };
  const int order = side == 0 ? m : n;
  struct vector a = draw(type, matrices * pitch * m), x = draw(type, matrices * pitch * n);
  struct vector b = {malloc(x.bytes), NULL, x.bytes};
  memcpy(b.host, x.host, x.bytes);
  double half[1];
  put_element(type, half, 0, 0.5);
  for (int z = 0; z < matrices; ++z) {
    const size_t base_a = (size_t)(z * pitch * m), base_x = (size_t)(z * pitch * n);
    double read[m][m] = {{0}};
    for (int j = 0; j < order; ++j)
      for (int i = 0; i < order; ++i) {
        const int outside = fill == 0 ? i < j : i > j;
        const double value = outside ? 0 : i != j ? (double)((int)drawn() % 2) : unit ? 1 : 1 << (i % 3);
        put_element(type, a.host, base_a + (size_t)(i + j * pitch),
                    outside || (unit && i == j) ? NAN : value);
        read[operation ? j : i][operation ? i : j] = value;
      }
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i) {
        double sum = 0;
        for (int l = 0; l < order; ++l)
          sum += side == 0 ? read[i][l] * element(type, x.host, base_x + (size_t)(l + j * pitch))
                           : element(type, x.host, base_x + (size_t)(i + l * pitch)) * read[l][j];
        put_element(type, b.host, base_x + (size_t)(i + j * pitch), 2 * sum);
      }
  }
  b.device = on_device(b.host, b.bytes);
  cudaMemcpy(a.device, a.host, a.bytes, to_device);
  expect(
      "trsm",
      BOTH(type, trsm_v2, side, fill, operation, unit, m, n, (void*)half, a.device, pitch, b.device, pitch),
      0);
  char* got = malloc(b.bytes);
  cudaMemcpy(got, b.device, b.bytes, to_host);
  for (size_t i = 0; i < pitch * n; ++i) expect("trsm", element(type, got, i) == element(type, x.host, i), 1);
  free(got);
  /* Both, by tables; between columns nothing is changed. */
  cudaMemcpy(b.device, b.host, b.bytes, to_device);
  const size_t bytes = bytes_of(type);
  void* tables[4] = {a.device, (char*)a.device + pitch * m * bytes, b.device,
                     (char*)b.device + pitch * n * bytes};
  void** at = on_device(tables, sizeof tables);
  expect("trsmBatched",
         BOTH(type, trsmBatched, side, fill, operation, unit, m, n, (void*)half, at, pitch, at + 2, pitch,
              matrices),
         0);
  same("trsmBatched", type, &(struct vector){x.host, b.device, x.bytes});
  cudaFree(at);
  drop(&a);
  drop(&b);
  drop(&x);
}

/* Factors by hand. [0 2; 4 6]: rows change places, U = [4 6; 0 2] and l = 0. [2 1; 8 6]: U = [8 6; 0 -1/2], l
   = 1/4. [1 2; 2 4] has no second pivot. Without pivots [2 1; 8 6] gives l = 4 and U = [2 1; 0 2]. By
   columns. */
static void factors(int type) {
  enum { count = 3, size = 4 };
  const double from[count][size] = {{0, 4, 2, 6}, {2, 8, 1, 6}, {1, 2, 2, 4}};
  const double with[count][size] = {{4, 0, 6, 2}, {8, 0.25, 6, -0.5}, {2, 0.5, 4, 0}};
  const double without[size] = {2, 4, 1, 2};
  const int places[count * 2] = {2, 2, 2, 2, 2, 2}, said[count] = {0, 0, 2};
  const size_t bytes = size * bytes_of(type);
  char host[count * size * 8];
  int got[count * 2];
  for (int i = 0; i < count * size; ++i) put_element(type, host, (size_t)i, from[i / size][i % size]);
  char* a = on_device(host, count * bytes);
  void* tables[count] = {a, a + bytes, a + 2 * bytes};
  void* at = on_device(tables, sizeof tables);
  int *pivots = on_device(places, sizeof places), *told = on_device(places, sizeof places);
  expect("getrf", BOTH(type, getrfBatched, 2, at, 2, pivots, told, count), 0);
  cudaMemcpy(host, a, count * bytes, to_host);
  for (int i = 0; i < count * size; ++i)
    expect("factor", element(type, host, (size_t)i) == with[i / size][i % size], 1);
  cudaMemcpy(got, pivots, sizeof got, to_host);
  for (int i = 0; i < count * 2; ++i) expect("pivot", got[i], places[i]);
  cudaMemcpy(got, told, sizeof said, to_host);
  for (int i = 0; i < count; ++i) expect("told", got[i], said[i]);
  for (int i = 0; i < size; ++i) put_element(type, host, (size_t)i, from[1][i]);
  cudaMemcpy(a, host, bytes, to_device);
  expect("getrf", BOTH(type, getrfBatched, 2, at, 2, NULL, told, 1), 0);
  cudaMemcpy(host, a, bytes, to_host);
  for (int i = 0; i < size; ++i) expect("without pivots", element(type, host, (size_t)i) == without[i], 1);
  cudaFree(a);
  cudaFree(at);
  cudaFree(pivots);
  cudaFree(told);
}

void run_vectors(void) {
  expect("cublasCreate", cublasCreate_v2(&blas), 0);
  for (int type = f32; type <= f64; ++type) {
    elements(type, 300, 1, 1);
    elements(type, 257, -3, 2);
    sums(type, 1, 1, 1);
    sums(type, longest, 2, -3);
    sums(type, longest, -1, 1);
    matrix(type, 131, 37, 1, 1);
    matrix(type, 5, 200, 2, -1);
    for (int form = 0; form < 16; ++form) triangle(type, form & 1, form >> 1 & 1, form >> 2 & 1, form >> 3);
    factors(type);
  }
  const float one = 1;
  enum { invalid = 7 };
  expect("step of 0", cublasSgemv_v2(blas, 0, 1, 1, &one, &one, 1, &one, 0, &one, NULL, 1), invalid);
  expect("pitch", cublasSger_v2(blas, 2, 1, &one, &one, 1, &one, 1, NULL, 1), invalid);
  expect("side", cublasStrsm_v2(blas, 2, 0, 0, 0, 1, 1, &one, &one, 1, NULL, 1), invalid);
  expect("result", cublasSdot_v2(blas, 1, &one, 1, &one, 1, NULL), invalid);
  expect("cublasDestroy", cublasDestroy_v2(blas), 0);
}
