#!/usr/bin/env bash
# blas_test.sh STRATA HOST...: applications of cuBLAS under `strata app`, made without a toolkit.
source tb/system/expect.sh
hosts=("${@:2}")
for one in "${hosts[@]}"; do
  expect 0 "errors: right" app -- "$one" errors
  expect 0 "lt_errors: right" app -- "$one" lt_errors
done
expect 0 "gemm: right" app -- "${hosts[0]}" gemm
expect 0 "gemm: right" app -- "${hosts[-1]}" gemm
expect 0 "vectors: right" app -- "${hosts[0]}" vectors
expect 0 "vectors: right" app -- "${hosts[-1]}" vectors
expect 0 "lt: right" app -- "${hosts[0]}" lt
expect 0 "lt: right" app -- "${hosts[-1]}" lt
expect 0 "cublasZher2k_v2 is not there; the program gets CUBLAS_STATUS_NOT_SUPPORTED" app -- "${hosts[0]}" errors
expect 0 "cublasLtMatrixTransform is not there; the program gets CUBLAS_STATUS_NOT_SUPPORTED" app -- "${hosts[0]}" lt_errors
expect 0 "cublasLtMatmul: matrix A of 4 x 4 has a leading dimension of 3, which is less than 4; the program gets CUBLAS_STATUS_INVALID_VALUE" app -- "${hosts[0]}" lt_errors
expect 0 "C of f32, D of f32, scalars of f32 and compute type 68 are a combination that is not supported" app -- "${hosts[0]}" lt_errors

# Products are launches like others: they are listed, recorded and simulated.
expect 0 "1 launches" app --record "$folder/one.strata" --launches 0:0 -- "${hosts[0]}" errors
expect 0 "sound: 1 kernels, 1 CTAs" trace check "$folder/one.strata"
expect 0 "strata_sgemm_tn" app --platform tiny --out "$folder/o" -- "${hosts[0]}" errors
exit $failed
