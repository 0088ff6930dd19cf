/* Matrix products of every type and form against three loops, to the bit: products are added one after the
   other along k, each fused with its sum, and sums of f16 are rounded after each 16. */
#include "blas_host.h"

struct types {
  const char* name;
  int in, out, compute;
};
static const struct types all[] = {{"sgemm", f32, f32, in_f32},      {"tf32", f32, f32, in_tf32},
                                   {"dgemm", f64, f64, in_f64},      {"hgemm", f16, f16, in_f16},
                                   {"f16 to f16", f16, f16, in_f32}, {"f16 to f32", f16, f32, in_f32},
                                   {"bf16", bf16, bf16, in_f32},     {"bf16 to f32", bf16, f32, in_f32},
                                   {"s8 to s32", s8, s32, in_s32},   {"s8 to f32", s8, f32, in_f32}};

/* Sizes that fill no tile; pitches with room between columns. */
enum { m = 67, n = 70, k = 37, room = 3, most = (70 + room) * 70, matrices = 3 };

static int scalar_type(const struct types* t) {
  return t->compute == in_f16 ? f16 : t->compute == in_f64 ? f64 : t->compute == in_s32 ? s32 : f32;
}

static double sum(const struct types* t, int ta, int tb, const char* a, int lda, const char* b, int ldb,
                  int i, int j) {
  double total = 0;
  for (int l = 0; l < k; ++l) {
    const double x = element(t->in, a, (size_t)(ta ? l + i * lda : i + l * lda));
    const double y = element(t->in, b, (size_t)(tb ? j + l * ldb : l + j * ldb));
    total = t->compute == in_f64 || t->compute == in_s32 ? fma(x, y, total)
                                                         : (double)fmaf((float)x, (float)y, (float)total);
    if (t->compute == in_f16 && (l % 16 == 15 || l == k - 1)) total = (double)(_Float16)(float)total;
  }
  return total;
}

static double result(const struct types* t, double alpha, double total, double beta, double old) {
  if (t->compute == in_f64 || t->compute == in_s32) return fma(beta, old, alpha * total);
  return (double)fmaf((float)beta, (float)old, (float)alpha * (float)total);
}

struct operands {
  char *a, *b, *c;    /* on the host */
  void *da, *db, *dc; /* on the device */
  size_t in, out;     /* bytes of one of them */
};

static void draw(const struct types* t, struct operands* o) {
  o->in = most * bytes_of(t->in);
  o->out = most * bytes_of(t->out);
  o->a = malloc(matrices * o->in);
  o->b = malloc(matrices * o->in);
  o->c = malloc(matrices * o->out);
  for (size_t i = 0; i < matrices * most; ++i) {
    put_element(t->in, o->a, i, drawn());
    put_element(t->in, o->b, i, t->compute == in_f16 ? drawn() / 64 : drawn());
    put_element(t->out, o->c, i, drawn());
  }
  o->da = on_device(o->a, matrices * o->in);
  o->db = on_device(o->b, matrices * o->in);
  o->dc = on_device(o->c, matrices * o->out);
}

static void check(const struct types* t, struct operands* o, int ta, int tb, double alpha, double beta,
                  int count) {
  const int lda = (ta ? k : m) + room, ldb = (tb ? n : k) + room, ldc = m + room;
  char* got = malloc(matrices * o->out);
  int wrong = 0;
  cudaMemcpy(got, o->dc, matrices * o->out, to_host);
  for (int z = 0; z < count; ++z)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i) {
        const size_t at = (size_t)z * most + (size_t)(i + j * ldc);
        const double total =
            sum(t, ta, tb, o->a + (size_t)z * o->in, lda, o->b + (size_t)z * o->in, ldb, i, j);
        put_element(t->out, o->c, at, result(t, alpha, total, beta, element(t->out, o->c, at)));
      }
  for (size_t i = 0; i < matrices * most; ++i) wrong += element(t->out, got, i) != element(t->out, o->c, i);
  if (wrong != 0) printf("%s %c%c: ", t->name, ta ? 't' : 'n', tb ? 't' : 'n');
  expect("wrong elements", wrong, 0);
  free(got);
}

static void drop(struct operands* o) {
  free(o->a);
  free(o->b);
  free(o->c);
  cudaFree(o->da);
  cudaFree(o->db);
  cudaFree(o->dc);
}

/* One matrix, three side by side, and three by a table of addresses; scalars of the host and of the device.
 */
static void every_form(handle blas, const struct types* t, int ta, int tb) {
  const int lda = (ta ? k : m) + room, ldb = (tb ? n : k) + room, ldc = m + room, st = scalar_type(t);
  const double alphas[] = {st == s32 ? 3 : 0.5, 0, 1}, betas[] = {2, 1, 0};
  for (int form = 0; form < 3; ++form) {
    struct operands o;
    char alpha[8], beta[8];
    void *pa = alpha, *pb = beta;
    draw(t, &o);
    put_element(st, alpha, 0, alphas[form]);
    put_element(st, beta, 0, betas[form]);
    if (form == 1) { /* without products: A and B may hold anything */
      pa = on_device(alpha, 8);
      pb = on_device(beta, 8);
    }
    expect("pointer mode", cublasSetPointerMode_v2(blas, form == 1), 0);
    if (form == 0)
      expect("cublasGemmEx",
             cublasGemmEx(blas, ta, tb, m, n, k, pa, o.da, t->in, lda, o.db, t->in, ldb, pb, o.dc, t->out,
                          ldc, t->compute, -1),
             0);
    if (form == 1)
      expect("cublasGemmStridedBatchedEx",
             cublasGemmStridedBatchedEx(blas, ta, tb, m, n, k, pa, o.da, t->in, lda, most, o.db, t->in, ldb,
                                        most, pb, o.dc, t->out, ldc, most, matrices, t->compute, -1),
             0);
    if (form == 2) {
      void* tables[3][matrices];
      for (int z = 0; z < matrices; ++z) {
        tables[0][z] = (char*)o.da + (size_t)z * o.in;
        tables[1][z] = (char*)o.db + (size_t)z * o.in;
        tables[2][z] = (char*)o.dc + (size_t)z * o.out;
      }
      void** at = on_device(tables, sizeof tables);
      expect("cublasGemmBatchedEx",
             cublasGemmBatchedEx(blas, ta, tb, m, n, k, pa, at, t->in, lda, at + matrices, t->in, ldb, pb,
                                 at + 2 * matrices, t->out, ldc, matrices, t->compute, -1),
             0);
      cudaFree(at);
    }
    check(t, &o, ta, tb, alphas[form], betas[form], form == 0 ? 1 : matrices);
    drop(&o);
  }
  cublasSetPointerMode_v2(blas, 0);
}

/* 2 [1 2; 3 4] [5 6; 7 8] + 1/2 [2 4; 6 8] = 2 [19 22; 43 50] + [1 2; 3 4] = [39 46; 89 104] by hand, by
   columns: C starts as 2 6 4 8. What C holds is not read when beta is 0. */
static void by_hand(handle blas) {
  const float a[] = {1, 3, 2, 4}, b[] = {5, 7, 6, 8}, alpha = 2, half = 0.5f, none = 0;
  const float with[] = {39, 89, 46, 104}, without[] = {38, 86, 44, 100};
  float c[] = {2, 6, 4, 8};
  void *da = on_device(a, sizeof a), *db = on_device(b, sizeof b), *dc = on_device(c, sizeof c);
  expect("cublasSgemm", cublasSgemm_v2(blas, 0, 0, 2, 2, 2, &alpha, da, 2, db, 2, &half, dc, 2), 0);
  cudaMemcpy(c, dc, sizeof c, to_host);
  for (int i = 0; i < 4; ++i) expect("by hand", (long)c[i], (long)with[i]);
  const float nothing[] = {NAN, NAN, NAN, NAN};
  cudaMemcpy(dc, nothing, sizeof c, to_device);
  expect("cublasSgemm", cublasSgemm_v2(blas, 0, 0, 2, 2, 2, &alpha, da, 2, db, 2, &none, dc, 2), 0);
  cudaMemcpy(c, dc, sizeof c, to_host);
  for (int i = 0; i < 4; ++i) expect("without C", (long)c[i], (long)without[i]);

  /* k = 0 leaves beta C; a graph of two launches adds twice. */
  expect("k = 0", cublasSgemm_v2(blas, 0, 0, 2, 2, 0, &alpha, da, 2, db, 1, &half, dc, 2), 0);
  cudaMemcpy(c, dc, sizeof c, to_host);
  for (int i = 0; i < 4; ++i) expect("k = 0", (long)c[i], (long)without[i] / 2);
  handle stream = NULL, graph = NULL, exec = NULL, found = NULL;
  const float one = 1;
  cudaStreamCreate(&stream);
  expect("cublasSetStream", cublasSetStream_v2(blas, stream), 0);
  expect("cublasGetStream", cublasGetStream_v2(blas, &found), 0);
  expect("stream", found == stream, 1);
  expect("capture", cudaStreamBeginCapture(stream, 0), 0);
  expect("captured", cublasSgemm_v2(blas, 0, 1, 2, 2, 2, &one, da, 2, db, 2, &one, dc, 2), 0);
  expect("end of capture", cudaStreamEndCapture(stream, &graph), 0);
  expect("instantiate", cudaGraphInstantiate(&exec, graph, 0), 0);
  for (int i = 0; i < 2; ++i) expect("graph", cudaGraphLaunch(exec, stream), 0);
  cudaMemcpy(c, dc, sizeof c, to_host);
  /* [1 2; 3 4] [5 7; 6 8] = [17 23; 39 53] twice behind 19 43 22 50 */
  const float twice[] = {19 + 34, 43 + 78, 22 + 46, 50 + 106};
  for (int i = 0; i < 4; ++i) expect("graph twice", (long)c[i], (long)twice[i]);
  cublasSetStream_v2(blas, NULL);
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
}

/* The calls whose names say the types are those of the same types. */
static void named(handle blas) {
  static const struct types h = {"cublasHgemm", f16, f16, in_f16}, d = {"cublasDgemm", f64, f64, in_f64},
                            s = {"cublasSgemmEx", f16, f32, in_f32};
  const struct types* each[] = {&h, &d, &s};
  for (int i = 0; i < 3; ++i) {
    struct operands o;
    char one[8];
    draw(each[i], &o);
    put_element(scalar_type(each[i]), one, 0, 1);
    const int lda = m + room, ldb = k + room, ldc = m + room;
    if (i == 0)
      expect(each[i]->name, cublasHgemm(blas, 0, 0, m, n, k, one, o.da, lda, o.db, ldb, one, o.dc, ldc), 0);
    if (i == 1)
      expect(each[i]->name,
             cublasDgemm_v2(blas, 0, 0, m, n, k, (double*)one, o.da, lda, o.db, ldb, (double*)one, o.dc, ldc),
             0);
    if (i == 2)
      expect(each[i]->name,
             cublasSgemmEx(blas, 0, 0, m, n, k, (float*)one, o.da, f16, lda, o.db, f16, ldb, (float*)one,
                           o.dc, f32, ldc),
             0);
    check(each[i], &o, 0, 0, 1, 1, 1);
    drop(&o);
  }
}

void run_gemm(void) {
  handle blas = NULL;
  expect("cublasCreate", cublasCreate_v2(&blas), 0);
  by_hand(blas);
  named(blas);
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
    for (int form = 0; form < 4; ++form) every_form(blas, &all[i], form & 1, form >> 1 == 0 ? 0 : 2);
  expect("cublasDestroy", cublasDestroy_v2(blas), 0);
}

/* What is refused, and what the calls around say. */
void run_errors(void) {
  enum { not_initialized = 1, invalid = 7, unsupported = 15 };
  handle blas = NULL;
  const float one = 1, two[] = {1, 2, 3, 4, 5, 6};
  void *at = on_device(two, sizeof two), *spare = on_device(two, sizeof two);
  int value = 0;
  expect("no handle", cublasSgemm_v2(NULL, 0, 0, 1, 1, 1, &one, at, 1, at, 1, &one, at, 1), not_initialized);
  expect("cublasCreate", cublasCreate_v2(&blas), 0);
  expect("m", cublasSgemm_v2(blas, 0, 0, -1, 1, 1, &one, at, 1, at, 1, &one, at, 1), invalid);
  expect("operation", cublasSgemm_v2(blas, 3, 0, 1, 1, 1, &one, at, 1, at, 1, &one, at, 1), invalid);
  expect("lda", cublasSgemm_v2(blas, 0, 0, 2, 1, 1, &one, at, 1, at, 1, &one, at, 2), invalid);
  expect("lda of k", cublasSgemm_v2(blas, 1, 0, 2, 1, 1, &one, at, 1, at, 1, &one, spare, 2), 0);
  expect("ldb", cublasSgemm_v2(blas, 0, 1, 1, 2, 1, &one, at, 1, at, 1, &one, at, 1), invalid);
  expect("ldc", cublasSgemm_v2(blas, 0, 0, 2, 1, 1, &one, at, 2, at, 1, &one, at, 1), invalid);
  expect("alpha", cublasSgemm_v2(blas, 0, 0, 1, 1, 1, NULL, at, 1, at, 1, &one, at, 1), invalid);
  expect("no C", cublasSgemm_v2(blas, 0, 0, 1, 1, 1, &one, at, 1, at, 1, &one, NULL, 1), invalid);
  expect("empty", cublasSgemm_v2(blas, 0, 0, 0, 1, 1, &one, NULL, 1, NULL, 1, &one, NULL, 1), 0);
  expect("batches",
         cublasSgemmStridedBatched(blas, 0, 0, 1, 1, 1, &one, at, 1, 1, at, 1, 1, &one, at, 1, 1, -1),
         invalid);
  expect("types",
         cublasGemmEx(blas, 0, 0, 1, 1, 1, &one, at, f32, 1, at, f16, 1, &one, at, f32, 1, in_f32, -1),
         unsupported);
  expect("mode", cublasSetPointerMode_v2(blas, 2), invalid);
  expect("mode", cublasGetPointerMode_v2(blas, &value), 0);
  expect("mode", value, 0);
  expect("math", cublasSetMathMode(blas, 3), 0);
  expect("math", cublasGetMathMode(blas, &value), 0);
  expect("math", value, 3);
  expect("workspace", cublasSetWorkspace_v2(blas, at, sizeof two), 0);
  expect("version", cublasGetVersion_v2(blas, &value), 0);
  expect("version", value, MAJOR * 10000);
  expect("property", cublasGetProperty(0, &value), 0);
  expect("property", value, MAJOR);
  expect("name", strcmp(cublasGetStatusName(invalid), "CUBLAS_STATUS_INVALID_VALUE"), 0);
  expect("text", strcmp(cublasGetStatusString(0), "success"), 0);

  /* Every second number; a matrix of 2 x 2 out of one of 3 x 2. */
  float got[6] = {0};
  expect("cublasGetVector", cublasGetVector(3, 4, at, 2, got, 1), 0);
  for (int i = 0; i < 3; ++i) expect("vector", (long)got[i], 1 + 2 * i);
  expect("cublasSetVector", cublasSetVector(3, 4, got, 1, at, 1), 0);
  expect("cublasGetMatrix", cublasGetMatrix(2, 2, 4, at, 3, got, 2), 0); /* 1 3 5 4 5 6 */
  expect("matrix", (long)(got[0] * 1000 + got[1] * 100 + got[2] * 10 + got[3]), 1345);
  expect("cublasSetMatrix", cublasSetMatrix(2, 2, 4, got, 1, at, 3), invalid);
  expect("absent", cublasZher2k_v2(blas), unsupported);
  expect("cublasDestroy", cublasDestroy_v2(blas), 0);
  cudaFree(at);
  cudaFree(spare);
}
