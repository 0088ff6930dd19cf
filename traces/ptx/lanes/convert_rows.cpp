// Conversions between rows of integers and floats: compiled once for each set of instructions, whose
// namespace STRATA_PTX_ISA names. In the keys M is the type that decides, D and S are the rows of destination
// and source.
#include <limits>

#include "traces/ptx/lanes/lane_real.h"

namespace strata::traces::ptx {
namespace STRATA_PTX_ISA {
namespace {

/// What a row of 16, 32 or 64 bits holds a value of type T in.
template <class T>
using RowOf = std::conditional_t<sizeof(T) <= 2, u16, std::conditional_t<sizeof(T) == 4, u32, u64>>;

template <class M, class D, class S>
D extended(S a) {
  return static_cast<D>(static_cast<M>(a));
}
/// From the integer type S to the range of M.
template <class M, class D, class S>
D saturated(RowOf<S> a) {
  const __int128 x = static_cast<S>(a), low = std::numeric_limits<M>::min(),
                 high = std::numeric_limits<M>::max();
  return static_cast<D>(static_cast<M>(x < low ? low : x > high ? high : x));
}
inline double rounded(double x, int mode) {
  switch (mode) {
    case 0:
      return std::nearbyint(x);
    case 1:
      return std::trunc(x);
    case 2:
      return std::floor(x);
    default:
      return std::ceil(x);
  }
}
/// Float to integer: op->code rounds (0 even, 1 to zero, 2 down, 3 up; 16: subnormal numbers are flushed);
/// always clamps; NaN is 0 (64 bits: the machine gives the top bit).
template <class M, class D, class A>
const Op* to_integer(Warp& w, const Op* op) {
  using Limits = std::numeric_limits<M>;
  const A* a = row_of<A>(w, op->a);
  alignas(64) D result[32];
  const int mode = op->code & 3;
  const double low = static_cast<double>(Limits::min()), high = static_cast<double>(Limits::max());
  for (int i = 0; i < 32; ++i) {
    const double x = rounded((op->code & 16) != 0 ? static_cast<double>(flushed(static_cast<float>(a[i])))
                                                  : static_cast<double>(a[i]),
                             mode);
    M v;
    if (not_a_number(x))  // PTX ISA, "cvt", integer notes: 0 unless a side has 64 bits
      v = sizeof(M) == 8 || sizeof(A) == 8 ? static_cast<M>(u64{1} << (8 * sizeof(M) - 1)) : M(0);
    else if (x <= low)
      v = Limits::min();
    else if (x >= high)
      v = Limits::max();
    else
      v = static_cast<M>(x);
    result[i] = static_cast<D>(v);
  }
  put(w, op->d, result);
  return op + 1;
}
/// Float to a float that is whole; op->code as above, 8: clamped to [0, 1].
template <class T>
const Op* to_whole(Warp& w, const Op* op) {
  const T* a = row_of<T>(w, op->a);
  alignas(64) T result[32];
  const int mode = op->code & 3;
  for (int i = 0; i < 32; ++i) {
    T x = a[i];
    if ((op->code & 16) != 0) x = static_cast<T>(flushed(static_cast<float>(x)));
    const auto v = static_cast<T>(rounded(x, mode));
    result[i] = (op->code & 8) != 0 ? clamped(v) : v;
  }
  put(w, op->d, result);
  return op + 1;
}
template <class M, class D>
constexpr HandlerEntry to_type[] = {row<extended<M, D, u16>>("cvt.", type_name<M>, ".", row_letter<D>, 'h'),
                                    row<extended<M, D, u32>>("cvt.", type_name<M>, ".", row_letter<D>, 'w'),
                                    row<extended<M, D, u64>>("cvt.", type_name<M>, ".", row_letter<D>, 'l')};
template <class M, class D, class S>
constexpr HandlerEntry saturating = row<saturated<M, D, S>>("cvt.sat.", type_name<M>, ".", type_name<S>, ".",
                                                            row_letter<D>);
template <class M, class D>
constexpr HandlerEntry clamping[] = {saturating<M, D, u8>,
                                     saturating<M, D, s8>,
                                     saturating<M, D, u16>,
                                     saturating<M, D, s16>,
                                     saturating<M, D, u32>,
                                     saturating<M, D, s32>,
                                     saturating<M, D, u64>,
                                     saturating<M, D, s64>,
                                     make_row(to_integer<M, D, float>, make_signature<D, u32>(), "cvt.i.",
                                              type_name<M>, ".f32.", row_letter<D>),
                                     make_row(to_integer<M, D, double>, make_signature<D, u64>(), "cvt.i.",
                                              type_name<M>, ".f64.", row_letter<D>)};
template <class S>
constexpr HandlerEntry to_real[] = {row<extended<S, float, RowOf<S>>>("cvt.f32.", type_name<S>),
                                    row<extended<S, double, RowOf<S>>>("cvt.f64.", type_name<S>)};
template <class T>
constexpr HandlerEntry of_real[] = {make_row(to_whole<T>, make_signature<T, T>(), "cvt.ri.", type_name<T>),
                                    row<Real<T>::saturated>("cvt.sat.", type_name<T>, ".", type_name<T>)};
constexpr HandlerEntry real_to_real[] = {row<extended<float, float, double>>("cvt.f32.f64"),
                                         row<extended<double, double, float>>("cvt.f64.f32")};

template <class M, class D>
void add_to(HandlerTable& table) {
  add(table, to_type<M, D>);
  if constexpr (sizeof(D) >= sizeof(M)) add(table, clamping<M, D>);
}
template <class... T>
void add_integers(HandlerTable& table) {
  (add_to<T, u16>(table), ...);
  (add_to<T, u32>(table), ...);
  (add_to<T, u64>(table), ...);
  (add(table, to_real<T>), ...);
}

}  // namespace

void add_conversions(HandlerTable& table) {
  add_integers<u8, s8, u16, s16, u32, s32, u64, s64>(table);
  add(table, of_real<float>);
  add(table, of_real<double>);
  add(table, real_to_real);
}

}  // namespace STRATA_PTX_ISA
}  // namespace strata::traces::ptx
