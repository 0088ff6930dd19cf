#include "traces/cuda/blas/gemm.h"

#include <algorithm>

namespace strata::cuda::blas {
namespace {

constexpr std::int64_t most_of_grid = 65535;  // in y and z

bool is_operation(int one) {
  return one == as_it_is || one == transposed || one == conjugated;
}

}  // namespace

/// Types that go together (cuBLAS, cublasGemmEx); the alignment that it asks of s8 is not asked here.
GemmKind gemm_kind(const Gemm& g) {
  GemmKind kind;
  kind.in = static_cast<DataType>(g.a_type);
  kind.out = static_cast<DataType>(g.c_type);
  bool known = g.a_type == g.b_type;
  switch (g.compute) {
    case compute_f16:
    case compute_f16_pedantic:
      kind.compute = compute_f16;
      known = known && g.a_type == f16 && g.c_type == f16;
      break;
    case compute_f64:
    case compute_f64_pedantic:
      kind.compute = compute_f64;
      known = known && g.a_type == f64 && g.c_type == f64;
      break;
    case compute_s32:
    case compute_s32_pedantic:
      kind.compute = compute_s32;
      known = known && g.a_type == s8 && g.c_type == s32;
      break;
    case compute_f32:
    case compute_f32_pedantic:
      known =
          known &&
          ((g.c_type == f32 && (g.a_type == f32 || g.a_type == f16 || g.a_type == bf16 || g.a_type == s8)) ||
           (g.c_type == g.a_type && (g.a_type == f16 || g.a_type == bf16)));
      break;
    case compute_f32_fast_f16:
    case compute_f32_fast_bf16:
    case compute_f32_fast_tf32:
      known = known && g.a_type == f32 && g.c_type == f32;
      break;
    default:
      known = false;
  }
  if (!known) throw BlasError(unsupported);
  kind.a_transposed = g.a_operation != as_it_is;
  kind.b_transposed = g.b_operation != as_it_is;
  kind.batched = g.batched;
  kind.apart = g.apart;
  kind.activation = g.activation;
  kind.bias = g.bias != nullptr;
  kind.bias_of_column = kind.bias && g.bias_of_column;
  kind.second = g.second != nullptr;
  return kind;
}

void gemm(Device& device, const Context& context, const Gemm& g) {
  require(is_operation(g.a_operation) && is_operation(g.b_operation));
  require(g.m >= 0 && g.n >= 0 && g.k >= 0 && g.batches >= 0);
  require(g.a_pitch >= std::max<std::int64_t>(1, g.a_operation == as_it_is ? g.m : g.k));
  require(g.b_pitch >= std::max<std::int64_t>(1, g.b_operation == as_it_is ? g.k : g.n));
  const GemmKind kind = gemm_kind(g);
  const std::int64_t least = std::max<std::int64_t>(1, g.m);
  if (kind.is_extended())
    require(g.d_pitch >= least && (g.c_pitch == 0 || g.c_pitch >= least));  // 0: one column for all
  else
    require(g.c_pitch >= least);
  const Scalar alpha = scalar(context, g.alpha, scalar_bytes(kind.compute));
  const Scalar beta = scalar(context, g.beta, scalar_bytes(kind.compute));
  if (g.m == 0 || g.n == 0 || g.batches == 0) return;
  require(g.c != nullptr && (g.k == 0 || (g.a != nullptr && g.b != nullptr)));
  require(!kind.is_extended() || g.d != nullptr);
  const std::int64_t columns = (g.n + gemm_tile - 1) / gemm_tile;
  if (columns > most_of_grid) throw BlasError(unsupported);
  Function& function = kernel_of(device, gemm_name(kind), [&] { return gemm_text(kind); });
  const std::int64_t m = g.m, n = g.n, k = g.k;
  const std::int64_t a_next = g.a_next * bytes_of(kind.in), b_next = g.b_next * bytes_of(kind.in),
                     c_next = g.c_next * bytes_of(kind.out), d_next = g.d_next * bytes_of(kind.out),
                     bias_next = g.bias_next * bytes_of(kind.out);
  const bool bits = g.activation == Activation::relu || g.activation == Activation::relu_gradient;
  const std::int64_t second_next = bits ? g.second_next / 8 : g.second_next * bytes_of(kind.out);
  for (std::int64_t first = 0; first < g.batches; first += most_of_grid) {
    const auto moved = [&](const void* from, std::int64_t next) {
      return reinterpret_cast<Address>(from) + static_cast<Address>(first * (g.batched ? 8 : next));
    };
    const auto strided = [&](const void* from, std::int64_t next) {
      return reinterpret_cast<Address>(from) + static_cast<Address>(first * next);
    };
    const Address a = moved(g.a, a_next), b = moved(g.b, b_next), c = moved(g.c, c_next);
    const Address d = moved(g.d, d_next), bias = strided(g.bias, bias_next),
                  second = strided(g.second, second_next);
    const auto here = static_cast<unsigned>(std::min(g.batches - first, most_of_grid));
    std::vector<const void*> values = {&a,          &b,         &c,         &m,      &n,      &k,
                                       &g.a_pitch,  &g.b_pitch, &g.c_pitch, &a_next, &b_next, &c_next,
                                       alpha.value, beta.value, &alpha.at,  &beta.at};
    if (kind.is_extended())
      values.insert(values.end(),
                    {&d, &g.d_pitch, &d_next, &bias, &bias_next, &second, &g.second_pitch, &second_next});
    launch(device, context, function,
           {static_cast<unsigned>((g.m + gemm_tile - 1) / gemm_tile), static_cast<unsigned>(columns), here},
           {gemm_threads, gemm_threads, 1}, values);
  }
}

}  // namespace strata::cuda::blas
