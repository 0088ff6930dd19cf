// Operations on vectors of f32 and f64.
#include <algorithm>
#include <cstdint>
#include <string>

#include "models/common/instruction_source.h"
#include "traces/cuda/blas/context.h"
#include "traces/cuda/blas/text_for.h"

namespace strata::cuda::blas {

/// A vector for kernels: a negative step begins at its end (BLAS).
struct Vector {
  Vector(const void* from, int n, int step, unsigned bytes)
      : at(reinterpret_cast<Address>(from)), step_bytes(static_cast<std::int64_t>(step) * bytes) {
    if (step < 0) at += static_cast<Address>((1 - static_cast<std::int64_t>(n)) * step_bytes);
  }
  Address at;
  std::int64_t step_bytes;
};

}  // namespace strata::cuda::blas

using namespace strata;
using namespace strata::cuda;
using namespace strata::cuda::blas;

namespace {

constexpr unsigned most_blocks = 128;  // one thread block adds their sums

/// strata_saxpy and the like.
Function& kernel(Device& device, bool wide, const std::string& operation, const char* text) {
  const std::string name = std::string("strata_") + (wide ? "d" : "s") + operation;
  return kernel_of(device, name, [&] { return text_for(wide, name, text); });
}

/// One thread an element.
template <class Element>
void each(Device& device, const Context& context, const char* operation, const char* text, int n,
          const Scalar& alpha, const void* x, int x_step, void* y, int y_step) {
  if (n <= 0) return;
  require(x != nullptr && y != nullptr);
  constexpr unsigned bytes = sizeof(Element);
  const Vector from(x, n, x_step, bytes), to(y, n, y_step, bytes);
  launch(device, context, kernel(device, bytes == 8, operation, text),
         {(static_cast<unsigned>(n) + vector_threads - 1) / vector_threads, 1, 1}, {vector_threads, 1, 1},
         {&from.at, &from.step_bytes, &to.at, &to.step_bytes, &n, alpha.value, &alpha.at});
}
template <class Element>
int scaled(void* handle, const char* operation, const char* text, int n, const Element* alpha, const void* x,
           int x_step, void* y, int y_step) {
  return call(handle, [&](Device& device, Context& context) {
    each<Element>(device, context, operation, text, n, scalar(context, alpha, sizeof(Element)), x, x_step, y,
                  y_step);
  });
}
template <class Element>
int moved(void* handle, const char* operation, const char* text, int n, const void* x, int x_step, void* y,
          int y_step) {
  return call(handle, [&](Device& device, Context& context) {
    each<Element>(device, context, operation, text, n, Scalar(), x, x_step, y, y_step);
  });
}

/// Where a kernel writes its result: device memory of the program, or of the library, from which it is
/// copied.
template <class Result>
class Answer {
 public:
  Answer(Device& device, Context& context, Result* to) : device_(device), context_(context), to_(to) {
    require(to != nullptr);
    if (context.scratch == 0) context.scratch = device.allocate((most_blocks + 1) * sizeof(double));
    if (context.pointer_mode == of_host && stream_of(context.stream).capture != nullptr)
      throw BlasError(execution_failed);  // it would have to wait for the graph
  }
  Address at() const {
    return context_.pointer_mode == of_device ? reinterpret_cast<Address>(to_) : context_.scratch;
  }
  Address sums() const { return context_.scratch + sizeof(double); }
  void fetch() const {
    if (context_.pointer_mode == of_host)
      device_.copy(to_, reinterpret_cast<const void*>(context_.scratch), sizeof(Result));
  }
  void is_zero() const {
    const Result zero = 0;
    if (context_.pointer_mode == of_host)
      *to_ = zero;
    else
      device_.copy(to_, &zero, sizeof zero);
  }

 private:
  Device& device_;
  Context& context_;
  Result* const to_;
};

template <class Element>
int sum(void* handle, const char* operation, const char* text, int n, const void* x, int x_step,
        const void* y, int y_step, Element* result) {
  constexpr bool wide = sizeof(Element) == 8;
  return call(handle, [&](Device& device, Context& context) {
    const Answer<Element> answer(device, context, result);
    if (n <= 0) return answer.is_zero();
    require(x != nullptr && y != nullptr);
    const bool root = text == nrm2_text;
    const Vector a(x, n, x_step, sizeof(Element)), b(y, n, y_step, sizeof(Element));
    const unsigned blocks = std::min(most_blocks, (static_cast<unsigned>(n) + 2047) / 2048);
    const Address to = blocks == 1 && !root ? answer.at() : answer.sums();
    launch(device, context, kernel(device, wide, operation, text), {blocks, 1, 1}, {vector_threads, 1, 1},
           {&a.at, &a.step_bytes, &b.at, &b.step_bytes, &n, &to});
    if (to != answer.at()) {
      const Address from = answer.sums(), at = answer.at();
      const std::int64_t step = root ? sizeof(double) : sizeof(Element);
      launch(device, context, kernel(device, wide, root ? "root" : "sum", root ? root_text : sum_text),
             {1, 1, 1}, {vector_threads, 1, 1}, {&from, &step, &from, &step, &blocks, &at});
    }
    answer.fetch();
  });
}

int best(void* handle, bool wide, const char* operation, const char* text, int n, const void* x, int step,
         int* result) {
  return call(handle, [&](Device& device, Context& context) {
    const Answer<int> answer(device, context, result);
    if (n <= 0 || step <= 0) return answer.is_zero();
    require(x != nullptr);
    const Vector from(x, n, step, wide ? 8 : 4);
    const Address to = answer.at();
    launch(device, context, kernel(device, wide, operation, text), {1, 1, 1}, {vector_threads, 1, 1},
           {&from.at, &from.step_bytes, &n, &to});
    answer.fetch();
  });
}

}  // namespace

#define OF_TYPE(letter, Element)                                                                            \
  STRATA_CUDA_CALL cublas##letter##axpy_v2(void* handle, int n, const Element* alpha, const void* x,        \
                                           int x_step, void* y, int y_step) {                               \
    return scaled(handle, "axpy", axpy_text, n, alpha, x, x_step, y, y_step);                               \
  }                                                                                                         \
  STRATA_CUDA_CALL cublas##letter##scal_v2(void* handle, int n, const Element* alpha, void* x, int step) {  \
    return scaled(handle, "scal", scal_text, n, alpha, x, step, x, step);                                   \
  }                                                                                                         \
  STRATA_CUDA_CALL cublas##letter##copy_v2(void* handle, int n, const void* x, int x_step, void* y,         \
                                           int y_step) {                                                    \
    return moved<Element>(handle, "copy", copy_text, n, x, x_step, y, y_step);                              \
  }                                                                                                         \
  STRATA_CUDA_CALL cublas##letter##swap_v2(void* handle, int n, void* x, int x_step, void* y, int y_step) { \
    return moved<Element>(handle, "swap", swap_text, n, x, x_step, y, y_step);                              \
  }                                                                                                         \
  STRATA_CUDA_CALL cublas##letter##dot_v2(void* handle, int n, const void* x, int x_step, const void* y,    \
                                          int y_step, Element* result) {                                    \
    return sum(handle, "dot", dot_text, n, x, x_step, y, y_step, result);                                   \
  }                                                                                                         \
  STRATA_CUDA_CALL cublas##letter##asum_v2(void* handle, int n, const void* x, int step, Element* result) { \
    return sum(handle, "asum", asum_text, n, x, step, x, step, result);                                     \
  }                                                                                                         \
  STRATA_CUDA_CALL cublas##letter##nrm2_v2(void* handle, int n, const void* x, int step, Element* result) { \
    return sum(handle, "nrm2", nrm2_text, n, x, step, x, step, result);                                     \
  }
OF_TYPE(S, float)
OF_TYPE(D, double)
#undef OF_TYPE
STRATA_CUDA_CALL cublasIsamax_v2(void* handle, int n, const void* x, int step, int* result) {
  return best(handle, false, "amax", amax_text, n, x, step, result);
}
STRATA_CUDA_CALL cublasIdamax_v2(void* handle, int n, const void* x, int step, int* result) {
  return best(handle, true, "amax", amax_text, n, x, step, result);
}
STRATA_CUDA_CALL cublasIsamin_v2(void* handle, int n, const void* x, int step, int* result) {
  return best(handle, false, "amin", amin_text, n, x, step, result);
}
STRATA_CUDA_CALL cublasIdamin_v2(void* handle, int n, const void* x, int step, int* result) {
  return best(handle, true, "amin", amin_text, n, x, step, result);
}

// Operations on a matrix and vectors, and triangular systems, of f32 and f64.

namespace {

constexpr int most_of_grid = 65535;  // in y
enum Side : int { left = 0, right = 1 };
enum Fill : int { lower = 0, upper = 1 };

/// strata_sgemv_n and the like.
template <class Element>
Function& kernel(Device& device, const std::string& operation, const char* text) {
  constexpr bool wide = sizeof(Element) == 8;
  const std::string name = std::string("strata_") + (wide ? "d" : "s") + operation;
  return kernel_of(device, name, [&] { return text_for(wide, name, text); });
}
unsigned blocks_for(int threads) {
  return (static_cast<unsigned>(threads) + matrix_threads - 1) / matrix_threads;
}
template <class Element>
int gemv(void* handle, int operation, int m, int n, const Element* alpha, const void* a, int lda,
         const void* x, int x_step, const Element* beta, void* y, int y_step) {
  return call(handle, [&](Device& device, Context& context) {
    require(is_operation(operation) && m >= 0 && n >= 0 && lda >= std::max(1, m) && x_step != 0 &&
            y_step != 0);
    const Scalar of_product = scalar(context, alpha, sizeof *alpha),
                 of_old = scalar(context, beta, sizeof *beta);
    if (m == 0 || n == 0) return;
    require(a != nullptr && x != nullptr && y != nullptr);
    const bool plain = operation == as_it_is;
    const Vector from(x, plain ? n : m, x_step, sizeof *alpha), to(y, plain ? m : n, y_step, sizeof *alpha);
    const std::int64_t pitch = static_cast<std::int64_t>(lda) * static_cast<std::int64_t>(sizeof *alpha);
    launch(device, context,
           plain ? kernel<Element>(device, "gemv_n", gemv_n_text)
                 : kernel<Element>(device, "gemv_t", gemv_t_text),
           {plain ? blocks_for(m) : static_cast<unsigned>(n), 1, 1}, {matrix_threads, 1, 1},
           {&a, &pitch, &m, &n, &from.at, &from.step_bytes, &to.at, &to.step_bytes, of_product.value,
            &of_product.at, of_old.value, &of_old.at});
  });
}

template <class Element>
int ger(void* handle, int m, int n, const Element* alpha, const void* x, int x_step, const void* y,
        int y_step, void* a, int lda) {
  return call(handle, [&](Device& device, Context& context) {
    require(m >= 0 && n >= 0 && lda >= std::max(1, m) && x_step != 0 && y_step != 0);
    const Scalar factor = scalar(context, alpha, sizeof *alpha);
    if (m == 0 || n == 0) return;
    require(a != nullptr && x != nullptr && y != nullptr);
    const Vector rows(x, m, x_step, sizeof *alpha), columns(y, n, y_step, sizeof *alpha);
    const std::int64_t pitch = static_cast<std::int64_t>(lda) * static_cast<std::int64_t>(sizeof *alpha);
    launch(device, context, kernel<Element>(device, "ger", ger_text),
           {blocks_for(m), static_cast<unsigned>(std::min(n, most_of_grid)), 1}, {matrix_threads, 1, 1},
           {&rows.at, &rows.step_bytes, &columns.at, &columns.step_bytes, &m, &n, &a, &pitch, factor.value,
            &factor.at});
  });
}

struct Triangle {
  int side, fill, operation, diagonal;
};

/// All forms become M X = alpha X with lower M: from the right the transposed system is solved, and an upper
/// one from its last row.
template <class Element>
int trsm(void* handle, const Triangle& t, int m, int n, const Element* alpha, const void* a, int lda, void* b,
         int ldb, int batches, int tables) {
  return call(handle, [&](Device& device, Context& context) {
    require((t.side == left || t.side == right) && (t.fill == lower || t.fill == upper) &&
            is_operation(t.operation));
    require((t.diagonal == 0 || t.diagonal == 1) && m >= 0 && n >= 0 && batches >= 0);
    const bool from_left = t.side == left;
    const int order = from_left ? m : n, sides = from_left ? n : m;
    require(lda >= std::max(1, order) && ldb >= std::max(1, m));
    const Scalar factor = scalar(context, alpha, sizeof *alpha);
    if (m == 0 || n == 0 || batches == 0) return;
    require(a != nullptr && b != nullptr);
    if (batches > most_of_grid) throw BlasError(unsupported);
    const auto bytes = static_cast<std::int64_t>(sizeof *alpha);
    const bool by_rows = from_left == (t.operation == as_it_is);  // rows of M are rows of A
    std::int64_t a_row = by_rows ? bytes : lda * bytes, a_column = by_rows ? lda * bytes : bytes;
    std::int64_t x_row = from_left ? bytes : ldb * bytes;
    const std::int64_t x_column = from_left ? ldb * bytes : bytes;
    std::int64_t a_first = 0, x_first = 0;
    if (by_rows != (t.fill == lower)) {
      a_first = (order - 1) * (a_row + a_column);
      x_first = (order - 1) * x_row;
      a_row = -a_row;
      a_column = -a_column;
      x_row = -x_row;
    }
    launch(device, context, kernel<Element>(device, "trsm", trsm_text),
           {blocks_for(sides), static_cast<unsigned>(batches), 1}, {matrix_threads, 1, 1},
           {&a, &a_row, &a_column, &a_first, &b, &x_row, &x_column, &x_first, &order, &sides, &t.diagonal,
            &tables, factor.value, &factor.at});
  });
}

}  // namespace

#define OF_TYPE(letter, Element)                                                                            \
  STRATA_CUDA_CALL cublas##letter##gemv_v2(void* handle, int operation, int m, int n, const Element* alpha, \
                                           const void* a, int lda, const void* x, int x_step,               \
                                           const Element* beta, void* y, int y_step) {                      \
    return gemv(handle, operation, m, n, alpha, a, lda, x, x_step, beta, y, y_step);                        \
  }                                                                                                         \
  STRATA_CUDA_CALL cublas##letter##ger_v2(void* handle, int m, int n, const Element* alpha, const void* x,  \
                                          int x_step, const void* y, int y_step, void* a, int lda) {        \
    return ger(handle, m, n, alpha, x, x_step, y, y_step, a, lda);                                          \
  }                                                                                                         \
  STRATA_CUDA_CALL cublas##letter##trsm_v2(void* handle, int side, int fill, int operation, int diagonal,   \
                                           int m, int n, const Element* alpha, const void* a, int lda,      \
                                           void* b, int ldb) {                                              \
    return trsm(handle, {side, fill, operation, diagonal}, m, n, alpha, a, lda, b, ldb, 1, 0);              \
  }                                                                                                         \
  STRATA_CUDA_CALL cublas##letter##trsmBatched(                                                             \
      void* handle, int side, int fill, int operation, int diagonal, int m, int n, const Element* alpha,    \
      const void* const* a, int lda, void* const* b, int ldb, int batches) {                                \
    return trsm(handle, {side, fill, operation, diagonal}, m, n, alpha, static_cast<const void*>(a), lda,   \
                const_cast<void**>(b), ldb, batches, 1);                                                    \
  }
OF_TYPE(S, float)
OF_TYPE(D, double)
#undef OF_TYPE
