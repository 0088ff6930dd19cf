// Products of cuBLASLt, and the one algorithm for them.
#include <algorithm>
#include <array>
#include <cstring>

#include "traces/cuda/blas/lt/product.h"

using namespace strata::cuda;
using namespace strata::cuda::blas;
using namespace strata::cuda::blas::lt;
using abi::Handle;

namespace {

/// cublasLtMatmulHeuristicResult_t
struct Result {
  std::uint64_t algorithm[8];
  std::size_t workspace;
  int state;
  float waves;
  int reserved[4];
};
static_assert(sizeof(Result) == 96);

/// Of the GPU: how often its SMs are filled.
float waves_of(const Device& device, const Gemm& g) {
  const auto tiles = [](std::int64_t size) { return static_cast<float>((size + gemm_tile - 1) / gemm_tile); };
  const int blocks = std::max(1, device.description().threads_per_sm / int{gemm_threads * gemm_threads});
  return tiles(g.m) * tiles(g.n) * static_cast<float>(g.batches) /
         static_cast<float>(blocks * std::max(1, device.description().sms));
}

void put_algorithm(void* at, const Algorithm& algorithm = {}) {
  std::memset(at, 0, sizeof Result::algorithm);
  std::memcpy(at, &algorithm, sizeof algorithm);
}

Algorithm algorithm_at(const void* at) {
  Algorithm algorithm;
  std::memcpy(&algorithm, at, sizeof algorithm);
  return algorithm;
}

Result result_of(const Device& device, const Gemm& g, const void* algorithm) {
  Result made{};
  if (algorithm != nullptr)
    std::memcpy(made.algorithm, algorithm, sizeof made.algorithm);
  else
    put_algorithm(made.algorithm);
  made.waves = waves_of(device, g);
  return made;
}

/// Of matrices of one element: whether there is a product of these types.
bool types_are_there(Device& device, const char* call, int compute, int scale, int a, int b, int c, int d) {
  Product product;
  product.compute = compute;
  product.scale = scale;
  Layout layouts[4];
  const int types[4] = {a, b, c, d};
  for (int i = 0; i < 4; ++i) {
    layouts[i].type = types[i];
    layouts[i].rows = layouts[i].columns = 1;
    layouts[i].pitch = 1;
  }
  try {
    wanted_product(device, call, &product, {&layouts[0], &layouts[1], &layouts[2], &layouts[3]});
  } catch (const BlasError&) {
    return false;
  }
  return true;
}

const Layout* layout(const void* at) {
  return static_cast<const Layout*>(at);
}

}  // namespace

STRATA_CUDA_CALL cublasLtMatmul(void* handle, const Product* product, const void* alpha, const void* a,
                                const void* a_layout, const void* b, const void* b_layout, const void* beta,
                                const void* c, const void* c_layout, void* d, const void* d_layout,
                                const void* algorithm, void*, std::size_t, Handle stream) {
  return call(handle, [&](Device& device, Context&) {
    const char* const name = "cublasLtMatmul";
    const auto wanted = wanted_product(
        device, name, product, {layout(a_layout), layout(b_layout), layout(c_layout), layout(d_layout)});
    if (algorithm != nullptr) {
      const Algorithm chosen = algorithm_at(algorithm);
      check_algorithm(device, name, &chosen);
    }
    stream_of(stream);
    Context context;  // of this call: the handle may be one of cuBLAS
    context.stream = stream;
    context.pointer_mode = product->pointer_mode;
    if (alpha == nullptr || beta == nullptr) refuse(device, name, invalid, "alpha or beta is null");
    Gemm g = wanted.gemm;
    g.alpha = alpha;
    g.beta = beta;
    g.a = wanted.swapped ? b : a;
    g.b = wanted.swapped ? a : b;
    if (c == nullptr) {
      static constexpr unsigned char zero[8] = {};
      const bool unread =
          context.pointer_mode == of_host && std::memcmp(beta, zero, scalar_bytes(gemm_kind(g).compute)) == 0;
      if (!unread) refuse(device, name, invalid, "C is null, and beta is not 0 of the host");
    }
    g.c = c != nullptr ? const_cast<void*>(c) : d;
    g.d = d;
    if ((product->epilogue & add_bias) != 0 && g.bias == nullptr)
      refuse(device, name, invalid, "the bias of the epilogue is null");
    if ((product->epilogue & with_second) != 0 && g.second == nullptr)
      refuse(device, name, invalid, "the auxiliary matrix of the epilogue is null");
    if (a == nullptr || b == nullptr || d == nullptr) refuse(device, name, invalid, "A, B or D is null");
    g.apart = g.c != g.d || g.c_pitch != g.d_pitch || g.c_next != g.d_next;
    gemm(device, context, g);
  });
}

STRATA_CUDA_CALL cublasLtMatmulAlgoGetHeuristic(void* handle, const Product* product, const void* a_layout,
                                                const void* b_layout, const void* c_layout,
                                                const void* d_layout, const Preference* preference, int most,
                                                Result* results, int* count) {
  return call(handle, [&](Device& device, Context&) {
    const char* const name = "cublasLtMatmulAlgoGetHeuristic";
    require(most > 0 && results != nullptr && count != nullptr);
    *count = 0;
    if (preference != nullptr && preference->tag != Tag::preference)
      refuse(device, name, invalid, "the preference has no descriptor");
    const auto wanted = wanted_product(
        device, name, product, {layout(a_layout), layout(b_layout), layout(c_layout), layout(d_layout)});
    const bool limited =
        preference != nullptr && preference->search == 1;  // CUBLASLT_SEARCH_LIMITED_BY_ALGO_ID
    if (limited) {
      const Algorithm chosen = algorithm_at(results->algorithm);
      check_algorithm(device, name, &chosen);
    }
    const Result found = result_of(device, wanted.gemm, nullptr);
    if (preference != nullptr && preference->waves > 0 && found.waves > preference->waves)
      refuse(device, name, unsupported, "no algorithm has so few waves");
    *results = found;
    *count = 1;
  });
}

STRATA_CUDA_CALL cublasLtMatmulAlgoCheck(void* handle, const Product* product, const void* a_layout,
                                         const void* b_layout, const void* c_layout, const void* d_layout,
                                         const void* algorithm, Result* result) {
  return call(handle, [&](Device& device, Context&) {
    const char* const name = "cublasLtMatmulAlgoCheck";
    require(algorithm != nullptr && result != nullptr);
    const auto wanted = wanted_product(
        device, name, product, {layout(a_layout), layout(b_layout), layout(c_layout), layout(d_layout)});
    const Algorithm chosen = algorithm_at(algorithm);
    check_algorithm(device, name, &chosen);
    *result = result_of(device, wanted.gemm, algorithm);
  });
}

STRATA_CUDA_CALL cublasLtMatmulAlgoGetIds(void* handle, int compute, int scale, int a, int b, int c, int d,
                                          int most, int* numbers, int* count) {
  return call(handle, [&](Device& device, Context&) {
    require(most > 0 && numbers != nullptr);
    const bool there = types_are_there(device, "cublasLtMatmulAlgoGetIds", compute, scale, a, b, c, d);
    if (there) numbers[0] = 0;
    if (count != nullptr) *count = there ? 1 : 0;
    if (!there) throw BlasError(unsupported);
  });
}

STRATA_CUDA_CALL cublasLtMatmulAlgoInit(void* handle, int compute, int scale, int a, int b, int c, int d,
                                        int number, void* algorithm) {
  return call(handle, [&](Device& device, Context&) {
    require(algorithm != nullptr && number == 0);
    if (!types_are_there(device, "cublasLtMatmulAlgoInit", compute, scale, a, b, c, d))
      throw BlasError(unsupported);
    Algorithm made;
    made.tile = 0;  // the program says it, or leaves it to the library
    put_algorithm(algorithm, made);
  });
}

STRATA_CUDA_CALL cublasLtMatmulAlgoCapGetAttribute(const void* algorithm, int number, void* to,
                                                   std::size_t bytes, std::size_t* written) {
  if (algorithm == nullptr || algorithm_at(algorithm).tag != Tag::algorithm) return invalid;
  const auto word = [&](std::uint32_t value) { return get_bytes(&value, sizeof value, to, bytes, written); };
  switch (number) {
    case 0:   // split of k
    case 1:   // reduction schemes
    case 2:   // swizzle of thread blocks
    case 5:   // triangles
    case 7:   // custom options
    case 10:  // memory orders besides columns and rows
    case 14:  // leading dimensions below 0
    case 22:  // emulation of floating point
      return word(0);
    case 3:   // strided batches
    case 4:   // D apart from C
    case 21:  // batches by addresses
      return word(1);
    case 6:
      return word(tile_64x64);
    case 11:  // pointer modes: of the host and of the device
      return word(1U << of_host | 1U << of_device);
    case 12:
      return word(no_epilogue | relu | add_bias | relu_gradient | gelu | gelu_gradient | with_second);
    case 13:  // stages: undefined
      return word(0);
    case 15: {
      const std::uint64_t all = of_fma | sums_f16 | sums_f32 | sums_f64 | sums_s32 | takes_f16 | takes_bf16 |
                                takes_f32 | takes_f64 | takes_s8;
      return get_bytes(&all, sizeof all, to, bytes, written);
    }
    case 16:
    case 17:
    case 18:
    case 19:  // alignments: of an element
      return word(1);
    default:
      return invalid;
  }
}
