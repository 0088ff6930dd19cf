/* Products of cuBLASLt: types, operations, memory orders, batches, scalars and epilogues against loops, and
   what is refused. Sums are those of cuBLAS (blas_host_gemm.c), to the bit; GELU to some last places. */
#include "blas_host.h"

int cublasLtCreate(handle*);
int cublasLtDestroy(handle);
size_t cublasLtGetVersion(void);
size_t cublasLtGetCudartVersion(void);
int cublasLtGetProperty(int, int*);
const char* cublasLtGetStatusName(int);
int cublasLtHeuristicsCacheSetCapacity(size_t);
int cublasLtHeuristicsCacheGetCapacity(size_t*);
int cublasLtLoggerSetLevel(int);
int cublasLtMatrixLayoutCreate(handle*, int, uint64_t, uint64_t, int64_t);
int cublasLtMatrixLayoutInit_internal(void*, size_t, int, uint64_t, uint64_t, int64_t);
int cublasLtMatrixLayoutDestroy(handle);
int cublasLtMatrixLayoutSetAttribute(handle, int, const void*, size_t);
int cublasLtMatrixLayoutGetAttribute(handle, int, void*, size_t, size_t*);
int cublasLtMatmulDescCreate(handle*, int, int);
int cublasLtMatmulDescInit_internal(void*, size_t, int, int);
int cublasLtMatmulDescDestroy(handle);
int cublasLtMatmulDescSetAttribute(handle, int, const void*, size_t);
int cublasLtMatmulDescGetAttribute(handle, int, void*, size_t, size_t*);
int cublasLtMatmulPreferenceCreate(handle*);
int cublasLtMatmulPreferenceInit_internal(void*, size_t);
int cublasLtMatmulPreferenceDestroy(handle);
int cublasLtMatmulPreferenceSetAttribute(handle, int, const void*, size_t);
int cublasLtMatmulPreferenceGetAttribute(handle, int, void*, size_t, size_t*);
int cublasLtMatmulAlgoGetIds(handle, int, int, int, int, int, int, int, int*, int*);
int cublasLtMatmulAlgoInit(handle, int, int, int, int, int, int, int, void*);
int cublasLtMatmulAlgoConfigSetAttribute(void*, int, const void*, size_t);
int cublasLtMatmulAlgoConfigGetAttribute(const void*, int, void*, size_t, size_t*);
int cublasLtMatmulAlgoCapGetAttribute(const void*, int, void*, size_t, size_t*);
struct result { /* cublasLtMatmulHeuristicResult_t */
  uint64_t algorithm[8];
  size_t workspace;
  int state;
  float waves;
  int reserved[4];
};
int cublasLtMatmulAlgoCheck(handle, handle, handle, handle, handle, handle, const void*, struct result*);
int cublasLtMatmulAlgoGetHeuristic(handle, handle, handle, handle, handle, handle, handle, int,
                                   struct result*, int*);
int cublasLtMatmul(handle, handle, const void*, const void*, handle, const void*, handle, const void*,
                   const void*, handle, void*, handle, const void*, void*, size_t, handle);
int cublasLtMatrixTransform(handle);

/* Attributes, and epilogues. */
enum { l_type, l_order, l_rows, l_columns, l_pitch, l_batches, l_next, l_plane, l_mode };
enum { p_pointer = 2, p_a = 3, p_b = 4, p_fill = 6, p_epilogue = 7, p_bias = 8, p_bias_next = 10 };
enum { p_second = 11, p_second_pitch = 12, p_second_next = 13, p_a_scale = 17, p_bias_type = 26 };
enum { plain = 1, relu = 2, bias = 4, drelu = 8 | 128, gelu = 32, dgelu = 64 | 128, second = 128 };
enum { not_initialized = 1, invalid = 7, unsupported = 15 };

struct types {
  const char* name;
  int in, out, compute, scale;
};
static const struct types all[] = {
    {"f32", f32, f32, in_f32, f32},      {"tf32", f32, f32, in_tf32, f32},
    {"f64", f64, f64, in_f64, f64},      {"f16 in f16", f16, f16, in_f16, f16},
    {"f16", f16, f16, in_f32, f32},      {"f16 to f32", f16, f32, in_f32, f32},
    {"bf16", bf16, bf16, in_f32, f32},   {"bf16 to f32", bf16, f32, in_f32, f32},
    {"s8 to s32", s8, s32, in_s32, s32}, {"s8 to f32", s8, f32, in_f32, f32}};

/* Sizes that fill no tile. */
enum { m = 67, n = 21, k = 18, matrices = 2, aux_pitch = 128 };

/* A matrix on the host and on the device. */
struct matrix {
  int type, order;
  uint64_t rows, columns;
  int64_t pitch, next;
  char* host;
  void* device;
  handle layout;
};

static size_t place(const struct matrix* x, int z, int i, int j) {
  return (size_t)(z * x->next + (x->order == 0 ? i + j * x->pitch : j + i * x->pitch));
}
static double at(const struct matrix* x, int z, int i, int j) {
  return element(x->type, x->host, place(x, z, i, j));
}

static struct matrix make(int type, int order, uint64_t rows, uint64_t columns, int batches, double scale) {
  struct matrix x = {type, order, rows, columns, 0, 0, NULL, NULL, NULL};
  x.pitch = (int64_t)(order == 0 ? rows : columns) + 3;
  x.next = x.pitch * (int64_t)(order == 0 ? columns : rows) + 5;
  const size_t count = (size_t)(x.next * matrices);
  x.host = malloc(count * bytes_of(type));
  for (size_t i = 0; i < count; ++i) put_element(type, x.host, i, drawn() / scale);
  x.device = on_device(x.host, count * bytes_of(type));
  expect("layout", cublasLtMatrixLayoutCreate(&x.layout, type, rows, columns, x.pitch), 0);
  expect("order", cublasLtMatrixLayoutSetAttribute(x.layout, l_order, &order, 4), 0);
  expect("batches", cublasLtMatrixLayoutSetAttribute(x.layout, l_batches, &batches, 4), 0);
  expect("next", cublasLtMatrixLayoutSetAttribute(x.layout, l_next, &x.next, 8), 0);
  return x;
}

static void drop(struct matrix* x) {
  free(x->host);
  cudaFree(x->device);
  expect("layout", cublasLtMatrixLayoutDestroy(x->layout), 0);
}

static void set(handle product, int number, const void* value, size_t bytes) {
  expect("attribute", cublasLtMatmulDescSetAttribute(product, number, value, bytes), 0);
}
static void set_word(handle product, int number, int value) {
  set(product, number, &value, 4);
}

static double gelu_of(double x) {
  return 0.5 * x * (1 + tanh(sqrt(2 / acos(-1)) * (x + 0.044715 * x * x * x)));
}
static double gelu_slope(double x) {
  const double step = 1e-5;
  return (gelu_of(x + step) - gelu_of(x - step)) / (2 * step);
}

static double sum(const struct types* t, const struct matrix* a, int ta, const struct matrix* b, int tb,
                  int z, int i, int j) {
  double total = 0;
  for (int l = 0; l < k; ++l) {
    const double x = ta ? at(a, z, l, i) : at(a, z, i, l), y = tb ? at(b, z, j, l) : at(b, z, l, j);
    total = t->compute == in_f64 || t->compute == in_s32 ? fma(x, y, total)
                                                         : (double)fmaf((float)x, (float)y, (float)total);
    if (t->compute == in_f16 && (l % 16 == 15 || l == k - 1)) total = (double)(_Float16)(float)total;
  }
  return total;
}

/* One product. `apart`: D is another matrix than C; `scalars`: of the device. */
static void product(handle lt, const struct types* t, int ta, int tb, const int orders[3], int epilogue,
                    int apart, int scalars, int batches) {
  struct matrix a = make(t->in, orders[0], ta ? k : m, ta ? m : k, batches, t->in == s8 ? 1 : 16);
  struct matrix b = make(t->in, orders[1], tb ? n : k, tb ? k : n, batches, t->in == s8 ? 1 : 16);
  struct matrix c = make(t->out, orders[2], m, n, batches, 1), d = make(t->out, orders[2], m, n, batches, 1);
  const int quiet = t->out == s32 || epilogue == dgelu || epilogue == drelu;
  const double alpha = quiet ? 2 : 0.5, beta = apart ? -1 : 3;
  char host_scalars[16], *biases = malloc(matrices * m * bytes_of(t->out)),
                         *seconds = calloc(matrices * aux_pitch * n, bytes_of(t->out));
  put_element(t->scale, host_scalars, 0, alpha);
  put_element(t->scale, host_scalars, 1, beta);
  for (size_t i = 0; i < matrices * m; ++i) put_element(t->out, biases, i, drawn() / 4);
  const int bits = epilogue == drelu || (epilogue & (relu | second)) == (relu | second);
  for (size_t i = 0; i < matrices * aux_pitch * n; ++i)
    if (bits) {
      if (i < matrices * aux_pitch * n / 8) seconds[i] = (char)(int)(drawn() * 37);
    } else {
      put_element(t->out, seconds, i, drawn() / 16);
    }
  void *at_bias = on_device(biases, matrices * m * bytes_of(t->out)),
       *at_second = on_device(seconds, matrices * aux_pitch * n * bytes_of(t->out)),
       *at_scalars = on_device(host_scalars, sizeof host_scalars);
  const char* from = scalars ? at_scalars : host_scalars;

  handle p = NULL, preference = NULL;
  expect("product", cublasLtMatmulDescCreate(&p, t->compute, t->scale), 0);
  set_word(p, p_a, ta);
  set_word(p, p_b, tb);
  set_word(p, p_epilogue, epilogue);
  set_word(p, p_pointer, scalars);
  if (epilogue & bias) {
    const int64_t next = m;
    set(p, p_bias, &at_bias, 8);
    set(p, p_bias_next, &next, 8);
  }
  if (epilogue & second) {
    const int64_t pitch = aux_pitch, next = aux_pitch * n;
    set(p, p_second, &at_second, 8);
    set(p, p_second_pitch, &pitch, 8);
    set(p, p_second_next, &next, 8);
  }
  struct result found = {{0}, 1, 1, 0, {0}};
  int count = 0;
  const uint64_t workspace = 1 << 20;
  expect("preference", cublasLtMatmulPreferenceCreate(&preference), 0);
  expect("workspace", cublasLtMatmulPreferenceSetAttribute(preference, 1, &workspace, 8), 0);
  expect("heuristic",
         cublasLtMatmulAlgoGetHeuristic(lt, p, a.layout, b.layout, c.layout, d.layout, preference, 1, &found,
                                        &count),
         0);
  expect("algorithms", count, 1);
  expect("state", found.state, 0);
  expect("workspace", (long)found.workspace, 0);
  expect(t->name,
         cublasLtMatmul(lt, p, from, a.device, a.layout, b.device, b.layout, from + bytes_of(t->scale),
                        c.device, c.layout, apart ? d.device : c.device, apart ? d.layout : c.layout,
                        found.algorithm, NULL, 0, NULL),
         0);

  struct matrix* const to = apart ? &d : &c;
  const size_t elements = (size_t)(to->next * matrices), bytes = elements * bytes_of(t->out);
  char *got = malloc(bytes), *got_second = malloc(matrices * aux_pitch * n * bytes_of(t->out));
  cudaMemcpy(got, to->device, bytes, to_host);
  cudaMemcpy(got_second, at_second, matrices * aux_pitch * n * bytes_of(t->out), to_host);
  int wrong = 0, wrong_second = 0;
  for (int z = 0; z < batches; ++z)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i) {
        const double old = at(&c, z, i, j), total = sum(t, &a, ta, &b, tb, z, i, j);
        double x = t->compute == in_f64 || t->compute == in_s32
                       ? fma(beta, old, alpha * total)
                       : (double)fmaf((float)beta, (float)old, (float)alpha * (float)total);
        if (epilogue & bias) x = (double)((float)x + (float)element(t->out, biases, (size_t)(z * m + i)));
        const size_t there = (size_t)((z * n + j) * aux_pitch + i);
        const int bit = seconds[there / 8] >> there % 8 & 1, bit_now = got_second[there / 8] >> there % 8 & 1;
        double is = x;
        if (epilogue & relu) is = x > 0 ? x : 0;
        if (epilogue & gelu) is = gelu_of(x);
        if (epilogue == drelu) is = bit ? x : 0;
        if (epilogue == dgelu) is = x * gelu_slope(element(t->out, seconds, there));
        if ((epilogue & (relu | second)) == (relu | second)) wrong_second += bit_now != (x > 0);
        if ((epilogue & (gelu | second)) == (gelu | second)) {
          put_element(t->out, seconds, there, x);
          wrong_second += element(t->out, seconds, there) != element(t->out, got_second, there);
        }
        char rounded[8];
        put_element(t->out, rounded, 0, is);
        const double want = element(t->out, rounded, 0), is_there = element(t->out, got, place(to, z, i, j));
        const double slack = epilogue & (gelu | 64) ? (t->out == f32   ? 2e-6
                                                       : t->out == f16 ? 2e-3
                                                                       : 2e-2)
                                                    : 0;
        wrong += !(fabs(want - is_there) <= slack * (1 + fabs(want) + fabs(x)));
      }
  /* Between columns nothing is written. */
  for (int z = 0; z < batches; ++z)
    for (int far = 0; far < (to->order == 0 ? n : m); ++far) {
      const size_t gap = (size_t)(z * to->next + far * to->pitch + (to->order == 0 ? m : n));
      wrong += element(t->out, got, gap) != element(t->out, to->host, gap);
    }
  if (wrong || wrong_second)
    printf("%s %c%c orders %d%d%d epilogue %d%s%s: ", t->name, ta ? 't' : 'n', tb ? 't' : 'n', orders[0],
           orders[1], orders[2], epilogue, apart ? " apart" : "", scalars ? " device" : "");
  expect("wrong elements", wrong, 0);
  if (wrong_second) expect("wrong auxiliary elements", wrong_second, 0);
  free(got);
  free(got_second);
  free(biases);
  free(seconds);
  cudaFree(at_bias);
  cudaFree(at_second);
  cudaFree(at_scalars);
  drop(&a);
  drop(&b);
  drop(&c);
  drop(&d);
  expect("preference", cublasLtMatmulPreferenceDestroy(preference), 0);
  expect("product", cublasLtMatmulDescDestroy(p), 0);
}

/* C = relu(A B + bias) by hand: [1 2; 3 4] [5 6; 7 8] = [19 22; 43 50]; bias -20 and 1 to the rows: [0 2; 44
   51]. By a table of addresses the same again, and once more with the handle of cuBLAS. */
static void by_hand(handle lt) {
  const float a[] = {1, 3, 2, 4}, b[] = {5, 7, 6, 8}, to_rows[] = {-20, 1}, one = 1, none = 0;
  float c[4];
  void *da = on_device(a, sizeof a), *db = on_device(b, sizeof b), *dc = on_device(a, sizeof a),
       *dbias = on_device(to_rows, sizeof to_rows);
  handle p = NULL, layout = NULL, blas = NULL;
  expect("product", cublasLtMatmulDescCreate(&p, in_f32, f32), 0);
  expect("layout", cublasLtMatrixLayoutCreate(&layout, f32, 2, 2, 2), 0);
  set_word(p, p_epilogue, relu | bias);
  set(p, p_bias, &dbias, 8);
  expect(
      "cublasLtMatmul",
      cublasLtMatmul(lt, p, &one, da, layout, db, layout, &none, NULL, NULL, dc, layout, NULL, NULL, 0, NULL),
      0);
  cudaMemcpy(c, dc, sizeof c, to_host);
  const float with[] = {0, 44, 2, 51}, without[] = {19, 43, 22, 50};
  for (int i = 0; i < 4; ++i) expect("by hand", (long)c[i], (long)with[i]);

  void *tables[] = {da, db, dc}, **at_tables = on_device(tables, sizeof tables);
  const int by_table = 1, full = 2;
  set_word(p, p_epilogue, plain);
  set_word(p, p_fill, full);
  expect("mode", cublasLtMatrixLayoutSetAttribute(layout, l_mode, &by_table, 4), 0);
  expect("tables",
         cublasLtMatmul(lt, p, &one, at_tables, layout, at_tables + 1, layout, &none, at_tables + 2, layout,
                        at_tables + 2, layout, NULL, NULL, 0, NULL),
         0);
  cudaMemcpy(c, dc, sizeof c, to_host);
  for (int i = 0; i < 4; ++i) expect("tables", (long)c[i], (long)without[i]);
  const int side_by_side = 0;
  expect("mode", cublasLtMatrixLayoutSetAttribute(layout, l_mode, &side_by_side, 4), 0);
  expect("cublasCreate", cublasCreate_v2(&blas), 0);
  cudaMemcpy(dc, a, sizeof a, to_device);
  expect("handle of cuBLAS",
         cublasLtMatmul(blas, p, &one, da, layout, db, layout, &none, NULL, NULL, dc, layout, NULL, NULL, 0,
                        NULL),
         0);
  cudaMemcpy(c, dc, sizeof c, to_host);
  for (int i = 0; i < 4; ++i) expect("handle of cuBLAS", (long)c[i], (long)without[i]);
  expect("cublasDestroy", cublasDestroy_v2(blas), 0);

  /* One column of C for all: its leading dimension is 0. [19 22; 43 50] + [1; 3]. */
  handle column = NULL;
  expect("layout", cublasLtMatrixLayoutCreate(&column, f32, 2, 2, 0), 0);
  expect(
      "column",
      cublasLtMatmul(lt, p, &one, da, layout, db, layout, &one, da, column, dc, layout, NULL, NULL, 0, NULL),
      0);
  cudaMemcpy(c, dc, sizeof c, to_host);
  const float with_column[] = {20, 46, 23, 53};
  for (int i = 0; i < 4; ++i) expect("column", (long)c[i], (long)with_column[i]);
  cublasLtMatrixLayoutDestroy(column);
  cublasLtMatrixLayoutDestroy(layout);
  cublasLtMatmulDescDestroy(p);
  cudaFree(at_tables);
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
  cudaFree(dbias);
}

static void every_product(handle lt) {
  static const int epilogues[] = {relu,
                                  bias,
                                  relu | bias,
                                  gelu,
                                  gelu | bias,
                                  relu | second,
                                  relu | bias | second,
                                  gelu | second,
                                  gelu | bias | second,
                                  drelu,
                                  dgelu};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
    for (int form = 0; form < 4; ++form) {
      /* Each of the operations and orders with each type, once. */
      const int orders[] = {form == 1 || form == 2, form >= 2, form & 1};
      product(lt, &all[i], form & 1, form >> 1, orders, plain, form & 1, form >> 1, 1 + (form == 3));
    }
  static const int by_columns[] = {0, 0, 0}, by_rows[] = {0, 1, 1};
  static const int with_epilogues[] = {0, 4, 5, 6};
  for (size_t e = 0; e < sizeof epilogues / sizeof *epilogues; ++e)
    for (int i = 0; i < 4; ++i)
      product(lt, &all[with_epilogues[i]], 1, i & 1, by_columns, epilogues[e], i & 1, 0, 1 + (i == 3));
  product(lt, &all[0], 0, 0, by_rows, bias | gelu, 1, 0, 2);
  product(lt, &all[3], 0, 1, by_rows, bias | relu, 0, 0, 1);
}

void run_lt(void) {
  handle lt = NULL;
  expect("cublasLtCreate", cublasLtCreate(&lt), 0);
  by_hand(lt);
  every_product(lt);
  expect("cublasLtDestroy", cublasLtDestroy(lt), 0);
}

/* The same call with one thing after the other that is wrong. */
static int try(handle lt, handle p, handle a, handle b, handle c, handle d) {
  const float one = 1;
  static void* memory;
  static const char zeros[4096];
  if (memory == NULL) memory = on_device(zeros, sizeof zeros);
  return cublasLtMatmul(lt, p, &one, memory, a, memory, b, &one, memory, c, memory, d, NULL, NULL, 0, NULL);
}

static void attributes(handle lt, handle p, handle layout) {
  int64_t value = 0;
  int word = 0, count = 0;
  size_t size = 0;
  expect("size of an attribute", cublasLtMatrixLayoutGetAttribute(layout, l_pitch, NULL, 0, &size), 0);
  expect("size of an attribute", (long)size, 8);
  expect("pitch", cublasLtMatrixLayoutGetAttribute(layout, l_pitch, &value, 8, NULL), 0);
  expect("pitch", (long)value, 4);
  expect("operation", cublasLtMatmulDescGetAttribute(p, p_a, &word, 4, &size), 0);
  expect("operation", word, 0);
  expect("bias type", cublasLtMatmulDescGetAttribute(p, p_bias_type, &word, 4, NULL), 0);
  expect("bias type", word, -1);
  expect("size", cublasLtMatrixLayoutSetAttribute(layout, l_pitch, &word, 4), invalid);
  expect("no value", cublasLtMatmulDescSetAttribute(p, p_a, NULL, 4), invalid);
  expect("no attribute", cublasLtMatmulDescSetAttribute(p, 99, &word, 4), invalid);
  expect("no place", cublasLtMatmulDescGetAttribute(p, p_a, NULL, 4, NULL), invalid);
  expect("another descriptor", cublasLtMatmulDescSetAttribute(layout, p_a, &word, 4), invalid);
  expect("no descriptor", cublasLtMatmulDescDestroy(NULL), invalid);

  uint64_t own[8], own_product[32];
  expect("room", cublasLtMatrixLayoutInit_internal(own, 8, f32, 4, 4, 4), 3);
  expect("in own memory", cublasLtMatrixLayoutInit_internal(own, sizeof own, f32, 4, 4, 4), 0);
  expect("in own memory", cublasLtMatmulDescInit_internal(own_product, sizeof own_product, in_f32, f32), 0);
  expect("in own memory", try(lt, own_product, own, own, own, own), 0);
  expect("in own memory", cublasLtMatmulPreferenceInit_internal(own_product, 64), 0);
  expect("of CUDA 11", cublasLtMatmulPreferenceSetAttribute(own_product, 10, &word, 4), 0);

  uint64_t algorithm[8] = {0};
  int ids[4] = {9, 9, 9, 9};
  unsigned tiles[4] = {0}, mask = 0;
  struct result found;
  expect("ids", cublasLtMatmulAlgoGetIds(lt, in_f32, f32, f16, f16, f16, f16, 4, ids, &count), 0);
  expect("ids", count, 1);
  expect("not initialized", cublasLtMatmulAlgoCheck(lt, p, layout, layout, layout, layout, algorithm, &found),
         invalid);
  expect("init", cublasLtMatmulAlgoInit(lt, in_f32, f32, f16, f16, f16, f16, ids[0], algorithm), 0);
  expect("init", cublasLtMatmulAlgoInit(lt, in_f32, f32, f16, f16, f16, f16, 7, algorithm), invalid);
  expect("init", cublasLtMatmulAlgoInit(lt, in_f32, f32, f16, s8, f16, f16, 0, algorithm), unsupported);
  expect("tiles", cublasLtMatmulAlgoCapGetAttribute(algorithm, 6, NULL, 0, &size), 0);
  expect("tiles", (long)size, 4);
  expect("tiles", cublasLtMatmulAlgoCapGetAttribute(algorithm, 6, tiles, sizeof tiles, &size), 0);
  expect("64 x 64", (long)tiles[0], 15);
  expect("epilogues", cublasLtMatmulAlgoCapGetAttribute(algorithm, 12, &mask, 4, NULL), 0);
  expect("epilogues", (long)(mask & (relu | bias | gelu)), relu | bias | gelu);
  expect("tile", cublasLtMatmulAlgoConfigSetAttribute(algorithm, 1, tiles, 4), 0);
  expect("check", cublasLtMatmulAlgoCheck(lt, p, layout, layout, layout, layout, algorithm, &found), 0);
  word = 4;
  expect("parts of k", cublasLtMatmulAlgoConfigSetAttribute(algorithm, 2, &word, 4), 0);
  expect("parts of k", cublasLtMatmulAlgoConfigGetAttribute(algorithm, 2, &count, 4, NULL), 0);
  expect("parts of k", count, 4);
  expect("parts of k", cublasLtMatmulAlgoCheck(lt, p, layout, layout, layout, layout, algorithm, &found),
         unsupported);
}

void run_lt_errors(void) {
  handle lt = NULL, p = NULL, layout = NULL, small = NULL, wide = NULL, mixed = NULL, fp8 = NULL;
  int value = 0;
  expect("cublasLtCreate", cublasLtCreate(NULL), invalid);
  expect("cublasLtCreate", cublasLtCreate(&lt), 0);
  expect("product", cublasLtMatmulDescCreate(&p, in_f32, f32), 0);
  expect("layout", cublasLtMatrixLayoutCreate(&layout, f32, 4, 4, 4), 0);
  expect("layout", cublasLtMatrixLayoutCreate(&small, f32, 4, 4, 3), 0);
  expect("layout", cublasLtMatrixLayoutCreate(&wide, f32, 4, 5, 4), 0);
  expect("layout", cublasLtMatrixLayoutCreate(&mixed, f16, 4, 4, 4), 0);
  expect("layout", cublasLtMatrixLayoutCreate(&fp8, 28, 4, 4, 4), 0);
  expect("right", try(lt, p, layout, layout, layout, layout), 0);
  expect("no handle", try(NULL, p, layout, layout, layout, layout), not_initialized);
  expect("no handle", cublasLtDestroy(NULL), not_initialized);
  expect("no product", try(lt, NULL, layout, layout, layout, layout), invalid);
  expect("no layout", try(lt, p, NULL, layout, layout, layout), invalid);
  expect("another descriptor", try(lt, p, p, layout, layout, layout), invalid);
  expect("leading dimension", try(lt, p, small, layout, layout, layout), invalid);
  expect("sizes", try(lt, p, wide, layout, layout, layout), invalid);
  expect("types", try(lt, p, mixed, layout, layout, layout), unsupported);
  expect("fp8", try(lt, p, fp8, fp8, layout, layout), unsupported);
  const float* scale = (const float*)&value;
  set(p, p_a_scale, &scale, 8);
  expect("scale factors", try(lt, p, layout, layout, layout, layout), invalid);
  scale = NULL;
  set(p, p_a_scale, &scale, 8);
  set_word(p, p_epilogue, 256);
  expect("gradient of a bias", try(lt, p, layout, layout, layout, layout), unsupported);
  set_word(p, p_epilogue, bias);
  expect("no bias", try(lt, p, layout, layout, layout, layout), invalid);
  set_word(p, p_epilogue, plain);
  set_word(p, p_pointer, 2);
  expect("vectors of alpha", try(lt, p, layout, layout, layout, layout), unsupported);
  set_word(p, p_pointer, 0);
  struct result found;
  expect("heuristic",
         cublasLtMatmulAlgoGetHeuristic(lt, p, mixed, layout, layout, layout, NULL, 1, &found, &value),
         unsupported);
  expect("algorithms", value, 0);
  expect("heuristic",
         cublasLtMatmulAlgoGetHeuristic(lt, p, layout, layout, layout, layout, NULL, 0, &found, &value),
         invalid);
  attributes(lt, p, layout);

  size_t capacity = 0;
  expect("version", (long)cublasLtGetVersion(), MAJOR * 10000);
  expect("version", (long)cublasLtGetCudartVersion(), MAJOR * 1000);
  expect("property", cublasLtGetProperty(0, &value), 0);
  expect("property", value, MAJOR);
  expect("name", strcmp(cublasLtGetStatusName(unsupported), "CUBLAS_STATUS_NOT_SUPPORTED"), 0);
  expect("cache", cublasLtHeuristicsCacheSetCapacity(5), 0);
  expect("cache", cublasLtHeuristicsCacheGetCapacity(&capacity), 0);
  expect("cache", (long)capacity, 5);
  expect("logger", cublasLtLoggerSetLevel(6), invalid);
  expect("absent", cublasLtMatrixTransform(lt), unsupported);
  handle each[] = {layout, small, wide, mixed, fp8};
  for (int i = 0; i < 5; ++i) expect("layout", cublasLtMatrixLayoutDestroy(each[i]), 0);
  expect("product", cublasLtMatmulDescDestroy(p), 0);
  expect("cublasLtDestroy", cublasLtDestroy(lt), 0);
}
