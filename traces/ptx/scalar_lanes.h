#pragma once

#include "traces/ptx/lanes.h"

/// Lane after lane: for operations that are compiled once.
namespace strata::traces::ptx {

inline bool active(const Warp& w, int lane) {
  return (w.mask >> lane & 1) != 0;
}
template <class T>
void put(Warp& w, Row to, const T* values) {
  T* d = row_of<T>(w, to);
  for (int i = 0; i < 32; ++i)
    if (active(w, i)) d[i] = values[i];
}
template <class T>
void put_all(Warp& w, Row to, T value) {
  T* d = row_of<T>(w, to);
  for (int i = 0; i < 32; ++i)
    if (active(w, i)) d[i] = value;
}
inline void put_predicate(Warp& w, Row to, u32 bits) {
  u32& d = *row_of<u32>(w, to);
  d = (d & ~w.mask) | (bits & w.mask);
}
inline u32 predicate(const Warp& w, Row from, bool negated) {
  return *row_of<u32>(w, from) ^ (negated ? all_lanes : 0);
}

}  // namespace strata::traces::ptx
