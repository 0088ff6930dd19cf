#!/usr/bin/env bash
# blas_test.sh STRATA HOST...: applications of cuBLAS under `strata app`, made without a toolkit.
source tb/system/expect.sh
hosts=("${@:2}")
for one in "${hosts[@]}"; do
  expect 0 "errors: right" app -- "$one" errors
done
expect 0 "gemm: right" app -- "${hosts[0]}" gemm
expect 0 "gemm: right" app -- "${hosts[-1]}" gemm
expect 0 "vectors: right" app -- "${hosts[0]}" vectors
expect 0 "vectors: right" app -- "${hosts[-1]}" vectors
expect 0 "cublasZher2k_v2 is not there; the program gets CUBLAS_STATUS_NOT_SUPPORTED" app -- "${hosts[0]}" errors

# Products are launches like others: they are listed, recorded and simulated.
expect 0 "1 launches" app --record "$folder/one.strata" --launches 0:0 -- "${hosts[0]}" errors
expect 0 "sound: 1 kernels, 1 CTAs" trace check "$folder/one.strata"
expect 0 "strata_sgemm_tn" app --platform tiny --out "$folder/o" -- "${hosts[0]}" errors
exit $failed
