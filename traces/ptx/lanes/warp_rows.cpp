// Instructions across lanes.
#include <cstring>

#include "traces/ptx/lanes/lane_integer.h"
#include "traces/ptx/lanes/lane_rows.h"

namespace strata::traces::ptx {
namespace {

/// Groups of lanes that execute this instruction together: lanes with the same member mask (row b). Tiles of
/// cooperative groups have a mask each.
template <class Visit>
void for_each_group(const Warp& w, const Op* op, Visit visit) {
  const u32* members = op->b == no_row ? nullptr : row_of<u32>(w, op->b);
  for (u32 left = w.mask; left != 0;) {
    const int first = __builtin_ctz(left);
    u32 group = left;
    if (members != nullptr && (op->b & 1) != 0) {  // a constant: equal in all lanes
      group = 1u << first | (left & members[first]);
    } else if (members != nullptr) {
      group = 1u << first;
      for (u32 rest = left & members[first]; rest != 0; rest &= rest - 1)
        if (members[__builtin_ctz(rest)] == members[first]) group |= rest & (~rest + 1);
    }
    left &= ~group;
    visit(group);
  }
}
/// Writes `value` to the lanes of `group`.
void put_group(Warp& w, Row to, u32 group, u32 value) {
  for (u32 rest = group; rest != 0; rest &= rest - 1) row_of<u32>(w, to)[__builtin_ctz(rest)] = value;
}

enum class Vote { all, any, uni, ballot };
template <Vote Mode>
const Op* vote(Warp& w, const Op* op) {
  const u32 all = predicate(w, op->a, (op->flags & negate_a) != 0);
  u32 results = 0;
  for_each_group(w, op, [&](u32 group) {
    const u32 yes = all & group;
    if (Mode == Vote::ballot) return put_group(w, op->d, group, yes);
    const bool result = Mode == Vote::all   ? yes == group
                        : Mode == Vote::any ? yes != 0
                                            : yes == 0 || yes == group;
    results |= result ? group : 0;
  });
  if (Mode != Vote::ballot) put_predicate(w, op->d, results);
  return op + 1;
}
const Op* active_mask(Warp& w, const Op* op) {
  write(w, row_of<u32>(w, op->d), [mask = w.mask](int) { return mask; });
  return op + 1;
}
/// The leader of a group is its lowest lane; PTX ISA leaves this open.
const Op* elect(Warp& w, const Op* op) {
  u32 leaders = 0;
  for_each_group(w, op, [&](u32 group) {
    const auto leader = static_cast<u32>(__builtin_ctz(group));
    leaders |= 1u << leader;
    put_group(w, op->d, group, leader);
  });
  if (op->d2 != no_row) put_predicate(w, op->d2, leaders);
  return op + 1;
}
template <class T, bool All>
const Op* match(Warp& w, const Op* op) {
  T a[32];
  std::memcpy(a, row(w, op->a), sizeof(a));  // the destination may be the source
  u32 results = 0;
  for_each_group(w, op, [&](u32 group) {
    for (u32 rest = group; rest != 0; rest &= rest - 1) {
      const int lane = __builtin_ctz(rest);
      u32 equal = 0;
      for (u32 other = group; other != 0; other &= other - 1)
        equal |= a[__builtin_ctz(other)] == a[lane] ? other & (~other + 1) : 0;
      const bool same = equal == group;
      row_of<u32>(w, op->d)[lane] = All && !same ? 0 : equal;
      results |= same ? 1u << lane : 0;
    }
  });
  if (All && op->d2 != no_row) put_predicate(w, op->d2, results);
  return op + 1;
}
template <auto F, class T>
const Op* reduce(Warp& w, const Op* op) {
  const T* a = row_of<T>(w, op->a);
  for_each_group(w, op, [&](u32 group) {
    T value = a[__builtin_ctz(group)];
    for (u32 left = group & (group - 1); left != 0; left &= left - 1)
      value = F(value, a[__builtin_ctz(left)]);
    put_group(w, op->d, group, static_cast<u32>(value));
  });
  return op + 1;
}
constexpr Signature voted = make_signature<bool, bool>(), reduced = make_signature<u32, u32>();
constexpr HandlerEntry rows[] = {
    make_row(vote<Vote::all>, voted, "vote.sync.all.pred"),
    make_row(vote<Vote::any>, voted, "vote.sync.any.pred"),
    make_row(vote<Vote::uni>, voted, "vote.sync.uni.pred"),
    make_row(vote<Vote::ballot>, make_signature<u32, bool>(), "vote.sync.ballot.b32"),
    make_row(active_mask, make_signature<u32>(), "activemask.b32"),
    make_row(elect, make_signature<u32>(), "elect.sync"),
    make_row(match<u32, false>, make_signature<u32, u32>(), "match.sync.any.b32"),
    make_row(match<u64, false>, make_signature<u32, u64>(), "match.sync.any.b64"),
    make_row(match<u32, true>, make_signature<u32, u32>(), "match.sync.all.b32"),
    make_row(match<u64, true>, make_signature<u32, u64>(), "match.sync.all.b64"),
    make_row(reduce<Integer<u32>::add, u32>, reduced, "redux.sync.add.u32"),
    make_row(reduce<Integer<u32>::add, u32>, reduced, "redux.sync.add.s32"),
    make_row(reduce<Integer<u32>::min, u32>, reduced, "redux.sync.min.u32"),
    make_row(reduce<Integer<u32>::max, u32>, reduced, "redux.sync.max.u32"),
    make_row(reduce<Integer<s32>::min, s32>, reduced, "redux.sync.min.s32"),
    make_row(reduce<Integer<s32>::max, s32>, reduced, "redux.sync.max.s32"),
    make_row(reduce<Integer<u32>::bit_and, u32>, reduced, "redux.sync.and.b32"),
    make_row(reduce<Integer<u32>::bit_or, u32>, reduced, "redux.sync.or.b32"),
    make_row(reduce<Integer<u32>::bit_xor, u32>, reduced, "redux.sync.xor.b32")};

}  // namespace

void add_warp_wide(HandlerTable& table) {
  add(table, rows);
}

}  // namespace strata::traces::ptx
