// Which memory the lanes of an instruction touch, with every check.
#include <algorithm>
#include <cstring>

#include "traces/ptx/execute/machine.h"
#include "traces/ptx/execute/path.h"

namespace strata::traces::ptx {
namespace {

const char* const past_the_end = "past the end of device memory at";
const char* const nowhere = "no device memory at";

[[noreturn]] void outside(const Warp& w, const Op* op, int lane, std::uint64_t address, const char* what) {
  const GlobalMemory::Allocation* near = w.cta->memory->find(address);
  static thread_local std::string text;
  text = what;
  if (near != nullptr) text += " ('" + near->name + "' ends there)";
  fault(w, op, lane, text.c_str(), address, true);
}
/// The lanes of `lanes` whose bytes are not all in one allocation. A GPU takes them where a page of 2 MiB has
/// some memory; so do we when we are told to, else it is a fault.
Target out_of_range(Warp& w, const Op* op, std::uint64_t* address, std::uint32_t lanes, std::uint32_t bytes) {
  CtaState& cta = *w.cta;
  Target target;
  cta.out_of_range.fill(0);
  target.data = cta.out_of_range.data();
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const int i = __builtin_ctz(left);
    const GlobalMemory::Allocation* a = cta.memory->find(address[i]);
    if (a != nullptr && bytes <= a->end() - address[i]) continue;
    const char* const what = a != nullptr ? past_the_end : nowhere;
    if (cta.memcheck == PtxOptions::Memcheck::strict || !cta.memory->in_page(address[i]))
      outside(w, op, i, address[i], what);
    complain(w, op, i, what, address[i]);
    target.lanes |= 1u << i;
    address[i] = 0;
  }
  return target;
}
void check_aligned(const Warp& w, const Op* op, const std::uint64_t* address, std::uint32_t lanes,
                   std::uint32_t bytes) {
  std::uint64_t low = 0;
  for (int i = 0; i < 32; ++i) low |= address[i];
  if ((low & (bytes - 1)) == 0) return;  // of lanes that do not take part, too: none can be at fault
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const int i = __builtin_ctz(left);
    if ((address[i] & (bytes - 1)) != 0) fault(w, op, i, "misaligned address", address[i], true);
  }
}
/// Shared, local and parameter memory: one piece from 0 to `size`.
void check_inside(const Warp& w, const Op* op, const std::uint64_t* address, std::uint32_t lanes,
                  std::uint32_t bytes, std::uint64_t size, const char* what) {
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const int i = __builtin_ctz(left);
    if (address[i] > size || bytes > size - address[i]) fault(w, op, i, what, address[i], true);
  }
}
Space window_of(std::uint64_t address) {
  if (address - shared_window < window_bytes) return Space::shared;
  if (address - local_window < window_bytes) return Space::local;
  if (address - param_window < window_bytes) return Space::param;
  return Space::global;
}

/// Bytes [first, first + count) of the bitmap.
bool all_set(const std::uint64_t* bitmap, std::uint64_t first, std::uint64_t count) {
  while (count > 0) {
    const std::uint64_t bit = first % 64, n = std::min<std::uint64_t>(64 - bit, count);
    const std::uint64_t mask = (n == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1) << bit;
    if ((bitmap[first / 64] & mask) != mask) return false;
    first += n;
    count -= n;
  }
  return true;
}

/// Calls visit(first, bytes) for each run of bytes that neighbouring lanes touch, `relative` to the
/// allocation.
template <class Visit>
void for_each_run(const std::uint64_t* address, std::uint64_t start, std::uint32_t lanes, std::uint32_t bytes,
                  Visit visit) {
  std::uint64_t first = 0, count = 0;
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const std::uint64_t at = address[__builtin_ctz(left)] - start;
    if (at != first + count || count == 0) {
      if (count != 0) visit(first, count);
      first = at;
      count = 0;
    }
    count += bytes;
  }
  if (count != 0) visit(first, count);
}

void unset(Warp& w, const Op* op, GlobalMemory::Allocation& a, const std::uint64_t* address,
           std::uint32_t lanes, std::uint32_t bytes, bool store) {
  if (store) {
    for_each_run(address, a.address, lanes, bytes, [&](std::uint64_t first, std::uint64_t count) {
      a.unset_bytes -= mark_set(a.set, first, count);
    });
    return;
  }
  bool clean = true;
  for_each_run(address, a.address, lanes, bytes, [&](std::uint64_t first, std::uint64_t count) {
    clean = clean && all_set(a.set, first, count);
  });
  if (clean) return;
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const int i = __builtin_ctz(left);
    const std::uint64_t first = address[i] - a.address;
    const std::uint64_t mask = (std::uint64_t{1} << bytes) - 1;  // aligned: inside one word
    if ((a.set[first / 64] >> (first % 64) & mask) == mask) continue;
    if (w.cta->memcheck == PtxOptions::Memcheck::strict)
      fault(w, op, i, ("nothing has been written to this memory of '" + a.name + "' at").c_str(), address[i],
            true);
    complain(w, op, i, "nothing has been written to this memory at", address[i]);
  }
}

/// All that lies from `start` to `last` may be read, or written, until the launch ends.
void keep(Warp& w, const Op* op, std::uint64_t start, std::uint64_t last, std::uint8_t* data, Space space,
          std::uint32_t bytes) {
  Ground& ground = w.grounds[op->number];
  ground.start = start;
  ground.last = last;
  ground.data = data;
  ground.before = 0;
  ground.space = space;
  ground.counted = is_counted(op, space);
  ground.tag = access_tag(op, space, bytes);
  ground.window = space == Space::shared ? start : 0;
}
void keep_ground(Warp& w, const Op* op, const GlobalMemory::Allocation& a, std::uint32_t bytes) {
  const CtaState& cta = *w.cta;
  if (a.unset_bytes != 0 || !cta.read_only.empty() || cta.journal != nullptr || cta.kernel->uses_heap) return;
  keep(w, op, a.address, a.bytes - bytes, a.data, op->space == Space::generic ? Space::global : op->space,
       bytes);
}
/// The same of shared memory, where its addresses begin at `start`.
void keep_shared(Warp& w, const Op* op, std::uint64_t start, std::uint32_t bytes) {
  CtaState& cta = *w.cta;
  keep(w, op, start, cta.shared.size() - bytes, cta.shared.data(), Space::shared, bytes);
}

/// Shared memory of another thread block of the cluster, or of this one by its rank: the lanes that are
/// there.
bool in_cluster(Warp& w, const Op* op, std::uint64_t* address, std::uint32_t bytes, Target& target) {
  const auto code_of = [&](int lane) { return address[lane] >> cluster_shift; };
  const int first = __builtin_ctz(target.lanes);
  const std::uint64_t code = code_of(first);
  std::uint32_t same = 0;
  for (std::uint32_t left = target.lanes; left != 0; left &= left - 1)
    if (code_of(__builtin_ctz(left)) == code) same |= 1u << __builtin_ctz(left);
  target.lanes = same;
  if (code == 0 || code > w.cta->mates.size()) return false;
  CtaState& mate = *w.cta->mates[code - 1];
  if (mate.ended)
    complain(w, op, first, "shared memory of a thread block of the cluster that has ended, at",
             address[first]);
  for (int i = 0; i < 32; ++i) address[i] -= code << cluster_shift;
  check_inside(w, op, address, same, bytes, mate.shared.size(),
               "past the end of shared memory of another thread block at");
  target.data = mate.shared.data();
  return true;
}

Target global(Warp& w, const Op* op, std::uint64_t* address, std::uint32_t lanes, std::uint32_t bytes,
              bool store) {
  CtaState& cta = *w.cta;
  GlobalMemory::Allocation*& hint = cta.hints[op->number];
  const int first = __builtin_ctz(lanes);
  GlobalMemory::Allocation* a = hint;
  if (a == nullptr || address[first] - a->address >= a->bytes) {
    a = cta.memory->find(address[first]);
    if (a == nullptr) return out_of_range(w, op, address, lanes, bytes);
    hint = a;
  }
  if (bytes > a->end() - address[first]) return out_of_range(w, op, address, lanes, bytes);
  std::uint32_t inside = lanes;
  const std::uint64_t start = a->address, last = a->bytes - bytes;
  std::uint64_t bad = 0;
  if (lanes == all_lanes) {
    for (int i = 0; i < 32; ++i) bad |= (address[i] - start) | (last - (address[i] - start));
  } else {
    bad = std::uint64_t{1} << 63;
  }
  if (static_cast<std::int64_t>(bad) < 0) {
    inside = 0;
    for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
      const int i = __builtin_ctz(left);
      const std::uint64_t offset = address[i] - start;
      if (offset <= last) inside |= 1u << i;  // the others are served later
    }
  }
  const bool writes = store || op->op_class == OpClass::atomic;
  if (writes && a->constant)
    fault(w, op, first,
          a->placed ? "memory mapped to be read cannot be written, at"
                    : "constant memory cannot be written, at",
          address[first], true);
  if (!cta.read_only.empty()) {
    const bool marked = cta.read_only[static_cast<std::size_t>(a - cta.memory->allocations().data())] != 0;
    const bool trusts = op->op_class == OpClass::read_only_load && (op->flags & non_coherent) == 0;
    if (writes ? marked : trusts && !marked) check_failed(w, op, first, address[first], writes);
  }
  if (writes && cta.journal != nullptr)
    for (std::uint32_t left = inside; left != 0; left &= left - 1)
      cta.journal->before_store(*a, address[__builtin_ctz(left)] - start);
  if (a->unset_bytes != 0 && !store && cta.memcheck != PtxOptions::Memcheck::off)
    unset(w, op, *a, address, inside, bytes, false);
  if (a->unset_bytes != 0 && writes) unset(w, op, *a, address, inside, bytes, true);
  keep_ground(w, op, *a, bytes);
  Target target;
  target.data = a->data;
  target.lanes = inside;
  for (int i = 0; i < 32; ++i) address[i] -= start;
  return target;
}

/// Global memory under lanes from `low` to `high`: nullptr when they have to be looked at one by one.
GlobalMemory::Allocation* global_row(Warp& w, const Op* op, std::uint64_t low, std::uint64_t high,
                                     std::uint32_t bytes, bool store) {
  CtaState& cta = *w.cta;
  if (!cta.read_only.empty() || cta.journal != nullptr) return nullptr;
  GlobalMemory::Allocation*& hint = cta.hints[op->number];
  GlobalMemory::Allocation* a = hint;
  if (a == nullptr || low - a->address >= a->bytes) {
    a = cta.memory->find(low);
    if (a == nullptr) return nullptr;
    hint = a;
  }
  if (high - a->address >= a->bytes || bytes > a->end() - high || (store && a->constant)) return nullptr;
  return a;
}

}  // namespace

Target resolve(Warp& w, const Op* op, std::uint64_t* address, std::uint32_t lanes, std::uint32_t bytes,
               bool store) {
  Target target;
  target.space = op->space;
  target.lanes = lanes;
  CtaState& cta = *w.cta;
  check_aligned(w, op, address, lanes, bytes);
  if (op->space == Space::generic) {
    target.space = window_of(address[__builtin_ctz(lanes)]);
    std::uint32_t same = 0;
    for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
      const int i = __builtin_ctz(left);
      if (window_of(address[i]) == target.space) same |= 1u << i;
    }
    target.lanes = same;
    const std::uint64_t window = target.space == Space::shared  ? shared_window
                                 : target.space == Space::local ? local_window
                                 : target.space == Space::param ? param_window
                                                                : 0;
    for (int i = 0; i < 32; ++i) address[i] -= window;
  }
  switch (target.space) {
    case Space::shared:
      if (in_cluster(w, op, address, bytes, target)) return target;
      check_inside(w, op, address, target.lanes, bytes, cta.shared.size(),
                   "past the end of shared memory at");
      keep_shared(w, op, op->space == Space::generic ? shared_window : 0, bytes);
      target.data = cta.shared.data();
      return target;
    case Space::local: {
      const std::uint64_t size = cta.kernel->local_bytes;
      check_inside(w, op, address, target.lanes, bytes, size, "past the end of local memory at");
      target.data = cta.local.data() + w.index * size * 32;
      for (unsigned i = 0; i < 32; ++i) address[i] += i * size;
      return target;
    }
    case Space::param:
      check_inside(w, op, address, target.lanes, bytes, cta.parameters.size(),
                   "past the end of the parameters at");
      if (store) fault(w, op, -1, "parameters of the kernel cannot be written");
      target.data = cta.parameters.data();
      return target;
    default: {
      const Space space = target.space;
      target = global(w, op, address, target.lanes, bytes, store);
      target.space = space;
      return target;
    }
  }
}

bool resolve_row(Warp& w, const Op* op, std::uint64_t first, std::int64_t& stride, std::uint32_t bytes,
                 bool store, Target& target, std::uint64_t& relative) {
  if (((first | static_cast<std::uint64_t>(stride)) & (bytes - 1)) != 0) return false;
  const std::uint64_t end = first + static_cast<std::uint64_t>(31 * stride);
  const std::uint64_t low = stride < 0 ? end : first, high = stride < 0 ? first : end;
  if (low > high) return false;
  CtaState& cta = *w.cta;
  target.lanes = all_lanes;
  target.space = op->space;
  std::uint64_t start = 0;
  if (op->space == Space::generic) {
    target.space = window_of(low);
    if (window_of(high) != target.space) return false;
    start = target.space == Space::shared ? shared_window : target.space == Space::local ? local_window : 0;
  }
  relative = first - start;
  const auto fits = [&](std::uint64_t size) {
    return high - start <= size && bytes <= size - (high - start);
  };
  switch (target.space) {
    case Space::param:
      return false;
    case Space::shared:
      if (!fits(cta.shared.size())) return false;
      keep_shared(w, op, start, bytes);
      target.data = cta.shared.data();
      return true;
    case Space::local: {
      const std::uint64_t size = cta.kernel->local_bytes;
      if (!fits(size)) return false;
      target.data = cta.local.data() + w.index * size * 32;
      stride += static_cast<std::int64_t>(size);
      return true;
    }
    default:
      break;
  }
  GlobalMemory::Allocation* const a = global_row(w, op, low, high, bytes, store);
  if (a == nullptr) return false;
  if (a->unset_bytes != 0 && (store || cta.memcheck != PtxOptions::Memcheck::off)) {
    const bool dense = stride == static_cast<std::int64_t>(bytes);
    const std::uint64_t count = dense ? std::uint64_t{32} * bytes : bytes, rows = dense ? 1 : 32;
    for (std::uint64_t row = 0, at = first - a->address; row < rows;
         ++row, at += static_cast<std::uint64_t>(stride))
      if (store)
        a->unset_bytes -= mark_set(a->set, at, count);
      else if (!all_set(a->set, at, count))
        return false;
  }
  keep_ground(w, op, *a, bytes);
  target.data = a->data;
  relative = first - a->address;
  return true;
}

}  // namespace strata::traces::ptx
