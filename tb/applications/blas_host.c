/* An application that uses cuBLAS, for the tests: blas_host WHAT. Results are held to loops written out here.
 */
#include "blas_host.h"

int failed;

void expect(const char* what, long got, long want) {
  if (got == want) return;
  printf("%s: expected %ld, found %ld\n", what, want, got);
  failed = 1;
}

void* on_device(const void* from, size_t bytes) {
  void* at = NULL;
  expect("cudaMalloc", cudaMalloc(&at, bytes), 0);
  if (from != NULL) expect("cudaMemcpy", cudaMemcpy(at, from, bytes, to_device), 0);
  return at;
}

double drawn(void) {
  static uint32_t state = 7;
  state = state * 1664525u + 1013904223u;
  return (double)(int)(state >> 26) - 32;
}

size_t bytes_of(int type) {
  return type == f64 ? 8 : type == f16 || type == bf16 ? 2 : type == s8 ? 1 : 4;
}

double element(int type, const void* from, size_t number) {
  const char* at = (const char*)from + number * bytes_of(type);
  if (type == f64) return *(const double*)at;
  if (type == f32) return *(const float*)at;
  if (type == s32) return *(const int32_t*)at;
  if (type == s8) return *(const int8_t*)at;
  if (type == f16) return (double)*(const _Float16*)at;
  const uint32_t bits = (uint32_t) * (const uint16_t*)at << 16;
  float value;
  memcpy(&value, &bits, 4);
  return value;
}

void put_element(int type, void* to, size_t number, double value) {
  char* at = (char*)to + number * bytes_of(type);
  if (type == f64) *(double*)at = value;
  if (type == f32) *(float*)at = (float)value;
  if (type == s32) *(int32_t*)at = (int32_t)value;
  if (type == s8) *(int8_t*)at = (int8_t)value;
  if (type == f16) *(_Float16*)at = (_Float16)(float)value;
  if (type != bf16) return;
  const float as_float = (float)value;
  uint32_t bits;
  memcpy(&bits, &as_float, 4);
  *(uint16_t*)at = (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

int main(int argc, char** argv) {
  if (argc < 2) return 1;
  if (strcmp(argv[1], "gemm") == 0) run_gemm();
  if (strcmp(argv[1], "vectors") == 0) run_vectors();
  if (strcmp(argv[1], "errors") == 0) run_errors();
  if (strcmp(argv[1], "lt") == 0) run_lt();
  if (strcmp(argv[1], "lt_errors") == 0) run_lt_errors();
  printf("%s: %s\n", argv[1], failed ? "wrong" : "right");
  return failed;
}
