// Carry chains, and floats with directed rounding.
#include <cfenv>
#include <type_traits>

#include "traces/ptx/lanes/lane_real.h"

namespace strata::traces::ptx {
namespace {

/// Sums in a carry chain; d2 is the carry (a predicate of the warp).
template <class T, bool Subtract, bool In, bool Out>
const Op* carry(Warp& w, const Op* op) {
  using Wide = unsigned __int128;
  const T *a = row_of<T>(w, op->a), *b = row_of<T>(w, op->b);
  T result[32];
  const u32 flag = *row_of<u32>(w, op->d2);
  u32 next = 0;
  for (int i = 0; i < 32; ++i) {
    const T in = In ? static_cast<T>(flag >> i & 1) : T(0);
    const Wide wide = Subtract ? Wide{a[i]} - b[i] - in : Wide{a[i]} + b[i] + in;
    result[i] = static_cast<T>(wide);
    next |= static_cast<u32>((wide >> (sizeof(T) * 8) & 1) != 0) << i;
  }
  if (Out) put_predicate(w, op->d2, next);
  put(w, op->d, result);
  return op + 1;
}
template <class T, class S, bool High, bool In, bool Out>
const Op* mad_carry(Warp& w, const Op* op) {
  using Wide = unsigned __int128;
  const T *a = row_of<T>(w, op->a), *b = row_of<T>(w, op->b), *c = row_of<T>(w, op->c);
  T result[32];
  const u32 flag = *row_of<u32>(w, op->d2);
  u32 next = 0;
  for (int i = 0; i < 32; ++i) {
    const auto product =
        static_cast<Wide>(static_cast<__int128>(static_cast<S>(a[i])) * static_cast<S>(b[i]));
    const T part = static_cast<T>(High ? product >> (sizeof(T) * 8) : product);
    const Wide sum = Wide{part} + c[i] + (In ? flag >> i & 1 : 0u);
    result[i] = static_cast<T>(sum);
    next |= static_cast<u32>((sum >> (sizeof(T) * 8) & 1) != 0) << i;
  }
  if (Out) put_predicate(w, op->d2, next);
  put(w, op->d, result);
  return op + 1;
}

/// Sets the host's rounding mode. Values go through `volatile`, or the compiler moves operations across it.
class RoundingMode {
 public:
  explicit RoundingMode(int mode) : before_(std::fegetround()) { std::fesetround(mode); }
  ~RoundingMode() { std::fesetround(before_); }
  RoundingMode(const RoundingMode&) = delete;
  RoundingMode& operator=(const RoundingMode&) = delete;

 private:
  int before_;
};
/// op->code: subnormal numbers are flushed.
template <class T, auto F, int Mode>
const Op* directed(Warp& w, const Op* op) {
  const T *a = row_of<T>(w, op->a), *b = op->b == no_row ? a : row_of<T>(w, op->b),
          *c = op->c == no_row ? b : row_of<T>(w, op->c);
  const auto source = [op](T x) {
    return op->code != 0 ? static_cast<T>(flushed(static_cast<float>(x))) : x;
  };
  T result[32];
  {
    const RoundingMode mode(Mode);
    for (int i = 0; i < 32; ++i) {
      volatile T x = source(a[i]), y = source(b[i]), z = source(c[i]), r;
      r = call<F, T>(x, y, z);
      result[i] = source(r);
    }
  }
  put(w, op->d, result);
  return op + 1;
}
template <class D, class A, int Mode>
const Op* convert(Warp& w, const Op* op) {
  const A* a = row_of<A>(w, op->a);
  D result[32];
  {
    const RoundingMode mode(Mode);
    for (int i = 0; i < 32; ++i) {
      volatile A x = a[i];
      volatile D r = static_cast<D>(x);
      result[i] = r;
      if (std::is_integral<A>::value && a[i] == 0)
        result[i] = 0;  // some compilers convert in halves and give -0
    }
  }
  put(w, op->d, result);
  return op + 1;
}
template <class T>
T exact_fma(T a, T b, T c) {  // Real<T>'s rounds to nearest
  return std::fma(a, b, c);
}

/// `.xorsign.abs`: F of the magnitudes, with the sign of the product.
template <float (*F)(float, float)>
float crossed_signs(float a, float b) {
  const float r = F(std::fabs(a), std::fabs(b));
  return std::signbit(a) != std::signbit(b) ? -r : r;
}

template <int Mode>
constexpr const char* mode_name = Mode == FE_TOWARDZERO ? ".rz."
                                  : Mode == FE_DOWNWARD ? ".rm."
                                                        : ".rp.";
template <class T, auto F, int Mode>
constexpr HandlerEntry directed_row(const char* name) {
  return make_row(directed<T, F, Mode>, Lanes<F>::signature, name, mode_name<Mode>, type_name<T>);
}
template <class T, int Mode>
constexpr HandlerEntry arithmetic[] = {
    directed_row<T, Real<T>::add, Mode>("add"),      directed_row<T, Real<T>::subtract, Mode>("sub"),
    directed_row<T, Real<T>::multiply, Mode>("mul"), directed_row<T, Real<T>::divide, Mode>("div"),
    directed_row<T, Real<T>::root, Mode>("sqrt"),    directed_row<T, Real<T>::reciprocal, Mode>("rcp"),
    directed_row<T, exact_fma<T>, Mode>("fma")};
template <class D, class A, int Mode>
constexpr HandlerEntry convert_row = make_row(convert<D, A, Mode>, make_signature<D, A>(), "cvt",
                                              mode_name<Mode>, type_name<D>, ".", type_name<A>);
template <class D, int Mode>
constexpr HandlerEntry from_integers[] = {convert_row<D, u32, Mode>, convert_row<D, s32, Mode>,
                                          convert_row<D, u64, Mode>, convert_row<D, s64, Mode>};
template <int Mode>
constexpr HandlerEntry narrowing[] = {convert_row<float, double, Mode>};

template <class T, char Kind>
constexpr HandlerEntry sum_row(Handler handler, const char* name) {
  return make_row(handler, make_signature<T, T, T>(), name, Kind, type_bits<T>);
}
template <class T, char Kind>
constexpr HandlerEntry sums[] = {sum_row<T, Kind>(carry<T, false, false, true>, "add.cc."),
                                 sum_row<T, Kind>(carry<T, false, true, false>, "addc."),
                                 sum_row<T, Kind>(carry<T, false, true, true>, "addc.cc."),
                                 sum_row<T, Kind>(carry<T, true, false, true>, "sub.cc."),
                                 sum_row<T, Kind>(carry<T, true, true, false>, "subc."),
                                 sum_row<T, Kind>(carry<T, true, true, true>, "subc.cc.")};
template <class S, class U = std::make_unsigned_t<S>>
constexpr HandlerEntry product_row(Handler handler, const char* name) {
  return make_row(handler, make_signature<U, U, U, U>(), name, type_name<S>);
}
template <class S, class U = std::make_unsigned_t<S>>
constexpr HandlerEntry products[] = {product_row<S>(mad_carry<U, S, false, false, true>, "mad.lo.cc."),
                                     product_row<S>(mad_carry<U, S, true, false, true>, "mad.hi.cc."),
                                     product_row<S>(mad_carry<U, S, false, true, true>, "madc.lo.cc."),
                                     product_row<S>(mad_carry<U, S, true, true, true>, "madc.hi.cc."),
                                     product_row<S>(mad_carry<U, S, false, true, false>, "madc.lo."),
                                     product_row<S>(mad_carry<U, S, true, true, false>, "madc.hi.")};
constexpr HandlerEntry others[] = {row<flushed>("ftz.f32"),
                                   row<crossed_signs<Real<float>::min>>("min.xorsign.abs.f32"),
                                   row<crossed_signs<Real<float>::max>>("max.xorsign.abs.f32"),
                                   row<crossed_signs<Real<float>::min_nan>>("min.NaN.xorsign.abs.f32"),
                                   row<crossed_signs<Real<float>::max_nan>>("max.NaN.xorsign.abs.f32")};

template <class T>
void add_sums(HandlerTable& table) {
  add(table, sums<T, 'u'>);
  add(table, sums<T, 's'>);
  add(table, sums<T, 'b'>);
  add(table, products<T>);
  add(table, products<std::make_signed_t<T>>);
}
template <int Mode>
void add_mode(HandlerTable& table) {
  add(table, arithmetic<float, Mode>);
  add(table, arithmetic<double, Mode>);
  add(table, from_integers<float, Mode>);
  add(table, from_integers<double, Mode>);
  add(table, narrowing<Mode>);
}

}  // namespace

void add_rounded(HandlerTable& table) {
  add_sums<u32>(table);
  add_sums<u64>(table);
  add_mode<FE_TOWARDZERO>(table);
  add_mode<FE_DOWNWARD>(table);
  add_mode<FE_UPWARD>(table);
  add(table, others);
}

}  // namespace strata::traces::ptx
