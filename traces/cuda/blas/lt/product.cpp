// Products of cuBLASLt, from descriptors, and their one algorithm.
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "traces/cuda/blas/context.h"
#include "traces/cuda/blas/gemm.h"
#include "traces/cuda/blas/lt/descriptors.h"

namespace strata::cuda::blas::lt {

struct Operands {
  const Layout *a, *b, *c, *d;
};
struct Wanted {
  Gemm gemm;
  bool swapped = false;  ///< D is by rows: op(B)^T op(A)^T is computed by columns
};
/// "f16"; other types by number.
std::string type_name(int type);

/// Reports the reason once, and throws.
[[noreturn]] void refuse(Device& device, const char* call, Status status, const std::string& why);

namespace {

/// A matrix as an operand: its sizes after the operation, and whether it is stored like the transpose of a
/// column-major matrix.
struct View {
  std::uint64_t rows, columns;
  int operation;
};
View view_of(const Layout& layout, int operation) {
  const bool turned = operation != as_it_is;
  return {turned ? layout.columns : layout.rows, turned ? layout.rows : layout.columns,
          turned != (layout.order == by_rows) ? transposed : as_it_is};
}
int other(int operation) {
  return operation == as_it_is ? transposed : as_it_is;
}

std::string size_text(std::uint64_t rows, std::uint64_t columns) {
  return std::to_string(rows) + " x " + std::to_string(columns);
}

class Check {
 public:
  Check(Device& device, const char* call) : device_(device), call_(call) {}
  void supported(bool holds, const std::string& otherwise) const {
    if (!holds) refuse(device_, call_, unsupported, otherwise);
  }
  void valid(bool holds, const std::string& otherwise) const {
    if (!holds) refuse(device_, call_, invalid, otherwise);
  }
  void layout(const char* name, const Layout* layout, bool may_repeat) const;
  void types(const Product& product, const Operands& o) const;
  void nothing_else(const Product& product, const Operands& o) const;

 private:
  Device& device_;
  const char* call_;
};

void Check::layout(const char* name, const Layout* layout, bool may_repeat) const {
  const std::string matrix = std::string("matrix ") + name;
  valid(layout != nullptr && layout->tag == Tag::layout, matrix + " has no layout");
  supported(layout->order == by_columns || layout->order == by_rows,
            matrix + " has memory order " + std::to_string(layout->order) +
                "; supported are 0 (columns) and 1 (rows)");
  constexpr std::uint64_t most = std::numeric_limits<std::int32_t>::max();
  supported(layout->rows <= most && layout->columns <= most,
            matrix + " is larger than 2147483647 rows or columns");
  supported(layout->plane_offset == 0, matrix + " is complex, which is not supported");
  const auto least = std::max<std::int64_t>(
      1, static_cast<std::int64_t>(layout->order == by_columns ? layout->rows : layout->columns));
  valid(layout->pitch >= least || (may_repeat && layout->pitch == 0),
        matrix + " of " + size_text(layout->rows, layout->columns) + " has a leading dimension of " +
            std::to_string(layout->pitch) + ", which is less than " + std::to_string(least));
  valid(layout->batches >= 1, matrix + " has a batch of " + std::to_string(layout->batches));
  supported(layout->batch_mode <= 1, matrix + " has batch mode " + std::to_string(layout->batch_mode));
}

void Check::types(const Product& p, const Operands& o) const {
  Gemm g{};
  g.a_type = o.a->type;
  g.b_type = o.b->type;
  g.c_type = o.c->type;
  g.compute = p.compute;
  bool known = o.c->type == o.d->type;
  try {
    gemm_kind(g);
  } catch (const BlasError&) {
    known = false;
  }
  const bool of_f16 = p.compute == compute_f16 || p.compute == compute_f16_pedantic;
  const bool of_f64 = p.compute == compute_f64 || p.compute == compute_f64_pedantic;
  const bool of_s32 = p.compute == compute_s32 || p.compute == compute_s32_pedantic;
  known = known && p.scale == (of_f16 ? f16 : of_f64 ? f64 : of_s32 ? s32 : f32);
  supported(known, "A of " + type_name(o.a->type) + ", B of " + type_name(o.b->type) + ", C of " +
                       type_name(o.c->type) + ", D of " + type_name(o.d->type) + ", scalars of " +
                       type_name(p.scale) + " and compute type " + std::to_string(p.compute) +
                       " are a combination that is not supported");
}

void Check::nothing_else(const Product& p, const Operands& o) const {
  supported(p.pointer_mode == of_host || p.pointer_mode == of_device,
            "pointer mode " + std::to_string(p.pointer_mode) + " (a vector of alpha) is not supported");
  supported(p.c_operation == as_it_is, "a transposed C is not supported");
  supported(p.fill == full, "fill mode " + std::to_string(p.fill) + " (a triangle of D) is not supported");
  for (const int operation : {int{p.a_operation}, int{p.b_operation}})
    valid(operation <= conjugated, "operation " + std::to_string(operation) + " does not exist");
  for (const void* scale : {p.a_scale, p.b_scale, p.c_scale, p.d_scale, p.d_out_scale, p.second_scale})
    valid(scale == nullptr, "scale factors of a matrix need types of 8 or 4 bits, which are not supported");
  valid(p.d_most == nullptr && p.second_most == nullptr,
        "the largest absolute value needs types of 8 bits, which are not supported");
  supported(p.bias_type == -1 || p.bias_type == o.d->type,
            "a bias of " + type_name(p.bias_type) + " to D of " + type_name(o.d->type) + " is not supported");
  supported(p.second_type == -1 || p.second_type == o.d->type,
            "an auxiliary matrix of " + type_name(p.second_type) + " to D of " + type_name(o.d->type) +
                " is not supported");
}

}  // namespace

std::string type_name(int type) {
  switch (type) {
    case f32:
      return "f32";
    case f64:
      return "f64";
    case f16:
      return "f16";
    case bf16:
      return "bf16";
    case s8:
      return "s8";
    case s32:
      return "s32";
    default:
      return "type " + std::to_string(type);
  }
}

void refuse(Device& device, const char* call, Status status, const std::string& why) {
  device.note(std::string(call) + ": " + why + "; the program gets " + name_of_status(status));
  throw BlasError(status);
}

/// Throws for an algorithm that was not made here (invalid) or has an unknown configuration (unsupported).
void check_algorithm(Device& device, const char* call, const Algorithm* algorithm) {
  if (algorithm->tag != Tag::algorithm || algorithm->number != 0)
    refuse(device, call, invalid, "the algorithm was not made by this library");
  const Algorithm ours;
  const bool same = (algorithm->tile == 0 || algorithm->tile == ours.tile) && algorithm->parts_of_k <= 1 &&
                    algorithm->reduction == 0 && algorithm->swizzle == 0 && algorithm->custom == 0 &&
                    algorithm->stages == 0 && algorithm->inner_shape == 0 && algorithm->cluster_shape <= 2;
  if (!same)
    refuse(device, call, unsupported,
           "only tiles of 64 x 64 without split-k are supported, and the algorithm asks for something else");
}

/// The product described by descriptors, without the addresses of matrices and scalars. `c` may be null: like
/// D's. Throws BlasError if they contradict each other (invalid) or ask for an unsupported product
/// (unsupported), and reports why, with the name of the call.
Wanted wanted_product(Device& device, const char* call, const Product* product, const Operands& given) {
  const Check check(device, call);
  Operands o = given;
  if (o.c == nullptr) o.c = o.d;
  check.valid(product != nullptr && product->tag == Tag::product, "the product has no descriptor");
  check.layout("A", o.a, false);
  check.layout("B", o.b, false);
  check.layout("D", o.d, false);
  check.layout("C", o.c, true);
  const Product& p = *product;
  check.types(p, o);
  check.nothing_else(p, o);
  const View a = view_of(*o.a, p.a_operation), b = view_of(*o.b, p.b_operation);
  check.valid(a.rows == o.d->rows && b.columns == o.d->columns && a.columns == b.rows,
              "op(A) of " + size_text(a.rows, a.columns) + " and op(B) of " + size_text(b.rows, b.columns) +
                  " do not make D of " + size_text(o.d->rows, o.d->columns));
  check.valid(o.c->rows == o.d->rows && o.c->columns == o.d->columns && o.c->order == o.d->order,
              "C and D differ in size or memory order");
  check.valid(o.a->batches == o.d->batches && o.b->batches == o.d->batches && o.c->batches == o.d->batches &&
                  o.a->batch_mode == o.d->batch_mode && o.b->batch_mode == o.d->batch_mode &&
                  o.c->batch_mode == o.d->batch_mode,
              "A, B, C and D differ in batch count or batch mode");

  Wanted wanted;
  wanted.swapped = o.d->order == by_rows;
  Gemm& g = wanted.gemm;
  g = Gemm{};
  const Layout &first = wanted.swapped ? *o.b : *o.a, &second = wanted.swapped ? *o.a : *o.b;
  g.a_operation = wanted.swapped ? other(b.operation) : a.operation;
  g.b_operation = wanted.swapped ? other(a.operation) : b.operation;
  g.m = static_cast<std::int64_t>(wanted.swapped ? o.d->columns : o.d->rows);
  g.n = static_cast<std::int64_t>(wanted.swapped ? o.d->rows : o.d->columns);
  g.k = static_cast<std::int64_t>(a.columns);
  g.a_pitch = first.pitch;
  g.b_pitch = second.pitch;
  g.c_pitch = o.c->pitch;
  g.d_pitch = o.d->pitch;
  g.a_type = first.type;
  g.b_type = second.type;
  g.c_type = o.d->type;
  g.compute = p.compute;
  g.batches = o.d->batches;
  g.a_next = first.next;
  g.b_next = second.next;
  g.c_next = o.c->next;
  g.d_next = o.d->next;
  g.batched = o.d->batch_mode == 1;

  // Function applied to elements of D.
  const unsigned kind = p.epilogue & ~(add_bias | with_second);
  const bool gradient = kind == relu_gradient || kind == gelu_gradient;
  const bool known =
      p.epilogue == no_epilogue || (kind == 0 && p.epilogue == add_bias) ||
      ((kind == relu || kind == gelu) && (p.epilogue & ~(kind | add_bias | with_second)) == 0) ||
      (gradient && p.epilogue == (kind | with_second));
  check.supported(known, "epilogue " + std::to_string(p.epilogue) + " is not supported");
  if (p.epilogue == no_epilogue) return wanted;
  check.supported(
      g.compute != compute_f64 && g.compute != compute_f64_pedantic && g.compute != compute_s32 &&
          g.compute != compute_s32_pedantic,
      "epilogue " + std::to_string(p.epilogue) + " is supported for compute types 32F and 16F only");
  g.activation = kind == relu            ? Activation::relu
                 : kind == gelu          ? Activation::gelu
                 : kind == relu_gradient ? Activation::relu_gradient
                 : kind == gelu_gradient ? Activation::gelu_gradient
                                         : Activation::none;
  if ((p.epilogue & add_bias) != 0) {
    g.bias = p.bias;
    g.bias_next = p.bias_next;
    g.bias_of_column = wanted.swapped;
  }
  if ((p.epilogue & with_second) != 0) {
    check.supported(!wanted.swapped, "an auxiliary matrix with D in row order is not supported");
    const std::int64_t step = kind == relu || kind == relu_gradient ? 128 : 8;
    check.valid(p.second_pitch >= g.m && p.second_pitch % step == 0 && p.second_next % step == 0,
                "the auxiliary matrix has a leading dimension of " + std::to_string(p.second_pitch) +
                    ", which is less than D's rows or no multiple of " + std::to_string(step));
    g.second = p.second;
    g.second_pitch = p.second_pitch;
    g.second_next = p.second_next;
  }
  return wanted;
}

}  // namespace strata::cuda::blas::lt

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

/// Occupancy: how often the SMs are filled.
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

/// For matrices of one element: checks that the product supports these types.
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
    g.separate = g.c != g.d || g.c_pitch != g.d_pitch || g.c_next != g.d_next;
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
    made.tile = 0;  // set by the program, or left to the library
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
    case 21:  // batches by address tables
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
