// Which memory the lanes of an instruction touch, with every check.
#include <cstring>

#include "traces/ptx/execute/machine.h"

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
Target stray(Warp& w, const Op* op, std::uint64_t* address, std::uint32_t lanes, std::uint32_t bytes) {
  CtaState& cta = *w.cta;
  Target target;
  cta.stray.fill(0);
  target.data = cta.stray.data();
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

void unset(Warp& w, const Op* op, GlobalMemory::Allocation& a, const std::uint64_t* address,
           std::uint32_t lanes, std::uint32_t bytes, bool store) {
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const int i = __builtin_ctz(left);
    const std::uint64_t first = address[i] - a.address;
    if (store) {
      a.unset_bytes -= mark_set(a.set, first, bytes);
      continue;
    }
    const std::uint64_t mask = (std::uint64_t{1} << bytes) - 1;  // aligned: inside one word
    if ((a.set[first / 64] >> (first % 64) & mask) == mask) continue;
    if (w.cta->memcheck == PtxOptions::Memcheck::strict)
      fault(w, op, i, ("nobody has written this memory of '" + a.name + "' at").c_str(), address[i], true);
    complain(w, op, i, "nobody has written this memory at", address[i]);
  }
}

Target global(Warp& w, const Op* op, std::uint64_t* address, std::uint32_t lanes, std::uint32_t bytes,
              bool store) {
  CtaState& cta = *w.cta;
  GlobalMemory::Allocation*& hint = cta.hints[static_cast<std::size_t>(op - w.code)];
  const int first = __builtin_ctz(lanes);
  GlobalMemory::Allocation* a = hint;
  if (a == nullptr || address[first] - a->address >= a->bytes) {
    a = cta.memory->find(address[first]);
    if (a == nullptr) return stray(w, op, address, lanes, bytes);
    hint = a;
  }
  if (bytes > a->end() - address[first]) return stray(w, op, address, lanes, bytes);
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
    if (writes ? marked : trusts && !marked) wrong_proof(w, op, first, address[first], writes);
  }
  if (writes && cta.journal != nullptr)
    for (std::uint32_t left = inside; left != 0; left &= left - 1)
      cta.journal->before_store(*a, address[__builtin_ctz(left)] - start);
  if (a->unset_bytes != 0 && !store && cta.memcheck != PtxOptions::Memcheck::off)
    unset(w, op, *a, address, inside, bytes, false);
  if (a->unset_bytes != 0 && writes) unset(w, op, *a, address, inside, bytes, true);
  Target target;
  target.data = a->data;
  target.lanes = inside;
  for (int i = 0; i < 32; ++i) address[i] -= start;
  return target;
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
      check_inside(w, op, address, target.lanes, bytes, cta.shared.size(),
                   "past the end of shared memory at");
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

}  // namespace strata::traces::ptx
