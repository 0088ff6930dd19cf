/* What the sources of the application that uses cuBLAS share: calls of both libraries, by their ABI. */
#pragma once

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void* handle;
int cudaMalloc(void**, size_t);
int cudaFree(void*);
int cudaMemcpy(void*, const void*, size_t, int);
int cudaStreamCreate(handle*);
int cudaStreamBeginCapture(handle, int);
int cudaStreamEndCapture(handle, handle*);
int cudaGraphInstantiate(handle*, handle, unsigned long long);
int cudaGraphLaunch(handle, handle);
enum { to_device = 1, to_host = 2 };

int cublasCreate_v2(handle*);
int cublasDestroy_v2(handle);
int cublasSetStream_v2(handle, handle);
int cublasGetStream_v2(handle, handle*);
int cublasSetPointerMode_v2(handle, int);
int cublasGetPointerMode_v2(handle, int*);
int cublasSetMathMode(handle, int);
int cublasGetMathMode(handle, int*);
int cublasSetWorkspace_v2(handle, void*, size_t);
int cublasGetVersion_v2(handle, int*);
int cublasGetProperty(int, int*);
const char* cublasGetStatusName(int);
const char* cublasGetStatusString(int);
int cublasSetMatrix(int, int, int, const void*, int, void*, int);
int cublasGetMatrix(int, int, int, const void*, int, void*, int);
int cublasSetVector(int, int, const void*, int, void*, int);
int cublasGetVector(int, int, const void*, int, void*, int);
int cublasSgemm_v2(handle, int, int, int, int, int, const float*, const void*, int, const void*, int,
                   const float*, void*, int);
int cublasDgemm_v2(handle, int, int, int, int, int, const double*, const void*, int, const void*, int,
                   const double*, void*, int);
int cublasHgemm(handle, int, int, int, int, int, const void*, const void*, int, const void*, int, const void*,
                void*, int);
int cublasSgemmEx(handle, int, int, int, int, int, const float*, const void*, int, int, const void*, int, int,
                  const float*, void*, int, int);
int cublasGemmEx(handle, int, int, int, int, int, const void*, const void*, int, int, const void*, int, int,
                 const void*, void*, int, int, int, int);
int cublasSgemmStridedBatched(handle, int, int, int, int, int, const float*, const void*, int, long long,
                              const void*, int, long long, const float*, void*, int, long long, int);
int cublasSgemmBatched(handle, int, int, int, int, int, const float*, const void*, int, const void*, int,
                       const float*, const void*, int, int);
int cublasGemmStridedBatchedEx(handle, int, int, int, int, int, const void*, const void*, int, int, long long,
                               const void*, int, int, long long, const void*, void*, int, int, long long, int,
                               int, int);
int cublasGemmBatchedEx(handle, int, int, int, int, int, const void*, const void*, int, int, const void*, int,
                        int, const void*, const void*, int, int, int, int, int);
int cublasSaxpy_v2(handle, int, const float*, const void*, int, void*, int);
int cublasSscal_v2(handle, int, const float*, void*, int);
int cublasScopy_v2(handle, int, const void*, int, void*, int);
int cublasSswap_v2(handle, int, void*, int, void*, int);
int cublasSdot_v2(handle, int, const void*, int, const void*, int, float*);
int cublasSasum_v2(handle, int, const void*, int, float*);
int cublasSnrm2_v2(handle, int, const void*, int, float*);
int cublasIsamax_v2(handle, int, const void*, int, int*);
int cublasIsamin_v2(handle, int, const void*, int, int*);
int cublasSgemv_v2(handle, int, int, int, const float*, const void*, int, const void*, int, const float*,
                   void*, int);
int cublasSger_v2(handle, int, int, const float*, const void*, int, const void*, int, void*, int);
int cublasStrsm_v2(handle, int, int, int, int, int, int, const float*, const void*, int, void*, int);
int cublasStrsmBatched(handle, int, int, int, int, int, int, const float*, const void*, int, const void*, int,
                       int);
int cublasDaxpy_v2(handle, int, const double*, const void*, int, void*, int);
int cublasDscal_v2(handle, int, const double*, void*, int);
int cublasDcopy_v2(handle, int, const void*, int, void*, int);
int cublasDswap_v2(handle, int, void*, int, void*, int);
int cublasDdot_v2(handle, int, const void*, int, const void*, int, double*);
int cublasDasum_v2(handle, int, const void*, int, double*);
int cublasDnrm2_v2(handle, int, const void*, int, double*);
int cublasIdamax_v2(handle, int, const void*, int, int*);
int cublasIdamin_v2(handle, int, const void*, int, int*);
int cublasDgemv_v2(handle, int, int, int, const double*, const void*, int, const void*, int, const double*,
                   void*, int);
int cublasDger_v2(handle, int, int, const double*, const void*, int, const void*, int, void*, int);
int cublasDtrsm_v2(handle, int, int, int, int, int, int, const double*, const void*, int, void*, int);
int cublasDtrsmBatched(handle, int, int, int, int, int, int, const double*, const void*, int, const void*,
                       int, int);
int cublasSgetrfBatched(handle, int, const void*, int, int*, int*, int);
int cublasDgetrfBatched(handle, int, const void*, int, int*, int*, int);
int cublasZher2k_v2(handle);

/* cudaDataType_t and cublasComputeType_t */
enum { f32 = 0, f64 = 1, f16 = 2, s8 = 3, s32 = 10, bf16 = 14 };
enum { in_f16 = 64, in_f32 = 68, in_f64 = 70, in_s32 = 72, in_tf32 = 77 };

extern int failed;
void expect(const char* what, long got, long want);
void run_gemm(void);
void run_errors(void);
void run_lt(void);
void run_lt_errors(void);
void run_vectors(void);

void* on_device(const void* from, size_t bytes);
/* A small number that repeats from run to run, exact in every type. */
double drawn(void);
/* The elements of a type as numbers, rounded to the nearest even when written. */
size_t bytes_of(int type);
double element(int type, const void* from, size_t number);
void put_element(int type, void* to, size_t number, double value);
