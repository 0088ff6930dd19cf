// Arithmetic and comparisons of floats, rounded to nearest: compiled once for each set of instructions, whose
// namespace STRATA_PTX_ISA names.
#include "traces/ptx/lanes/lane_approximate.h"
#include "traces/ptx/lanes/lane_setp.h"

namespace strata::traces::ptx {
namespace STRATA_PTX_ISA {
namespace {

template <class T>
constexpr HandlerEntry both[] = {row<Real<T>::add>("add.", type_name<T>),
                                 row<Real<T>::subtract>("sub.", type_name<T>),
                                 row<Real<T>::multiply>("mul.", type_name<T>),
                                 row<Real<T>::divide>("div.", type_name<T>),
                                 row<Real<T>::min>("min.", type_name<T>),
                                 row<Real<T>::max>("max.", type_name<T>),
                                 row<Real<T>::copy_sign>("copysign.", type_name<T>),
                                 row<Real<T>::multiply_add>("fma.", type_name<T>),
                                 row<Real<T>::absolute>("abs.", type_name<T>),
                                 row<Real<T>::negate>("neg.", type_name<T>),
                                 row<Real<T>::reciprocal>("rcp.", type_name<T>),
                                 row<Real<T>::root>("sqrt.", type_name<T>),
                                 row<Real<T>::reciprocal_root>("rsqrt.", type_name<T>)};

using R = Real<float>;
constexpr HandlerEntry single[] = {row<R::min_nan>("min.NaN.f32"),
                                   row<R::max_nan>("max.NaN.f32"),
                                   row<Approximate::exp2>("ex2.f32"),
                                   row<Approximate::log2>("lg2.f32"),
                                   row<Approximate::sine>("sin.f32"),
                                   row<Approximate::cosine>("cos.f32"),
                                   row<Approximate::tanh>("tanh.f32"),
                                   row<Saturated<R::add>::f>("add.sat.f32"),
                                   row<Saturated<R::subtract>::f>("sub.sat.f32"),
                                   row<Saturated<R::multiply>::f>("mul.sat.f32"),
                                   row<Saturated<R::multiply_add>::f>("fma.sat.f32")};
constexpr HandlerEntry flushing[] = {row<FlushedAll<R::add>::f>("add.ftz.f32"),
                                     row<FlushedAll<R::subtract>::f>("sub.ftz.f32"),
                                     row<FlushedAll<R::multiply>::f>("mul.ftz.f32"),
                                     row<FlushedAll<R::multiply_add>::f>("fma.ftz.f32"),
                                     row<FlushedAll<R::divide>::f>("div.ftz.f32"),
                                     row<Saturated<FlushedAll<R::add>::f>::f>("add.ftz.sat.f32"),
                                     row<Saturated<FlushedAll<R::subtract>::f>::f>("sub.ftz.sat.f32"),
                                     row<Saturated<FlushedAll<R::multiply>::f>::f>("mul.ftz.sat.f32"),
                                     row<Saturated<FlushedAll<R::multiply_add>::f>::f>("fma.ftz.sat.f32"),
                                     row<Flushed<R::min>::f>("min.ftz.f32"),
                                     row<Flushed<R::max>::f>("max.ftz.f32"),
                                     row<Flushed<R::absolute>::f>("abs.ftz.f32"),
                                     row<Flushed<R::negate>::f>("neg.ftz.f32"),
                                     row<Flushed<R::reciprocal_root>::f>("rsqrt.ftz.f32"),
                                     row<Flushed<Approximate::log2>::f>("lg2.ftz.f32"),
                                     row<FlushedAll<R::reciprocal>::f>("rcp.ftz.f32"),
                                     row<FlushedAll<R::root>::f>("sqrt.ftz.f32"),
                                     row<FlushedAll<Approximate::exp2>::f>("ex2.ftz.f32"),
                                     row<FlushedAll<Approximate::sine>::f>("sin.ftz.f32"),
                                     row<FlushedAll<Approximate::cosine>::f>("cos.ftz.f32")};

}  // namespace

void add_real(HandlerTable& table) {
  add(table, both<float>);
  add(table, both<double>);
  add(table, single);
  add(table, flushing);
  add_setp<float>(table, AllComparisons());
  add_setp<double>(table, AllComparisons());
  add_set<float>(table, AllComparisons());
  add_set<double>(table, AllComparisons());
}

}  // namespace STRATA_PTX_ISA
}  // namespace strata::traces::ptx
