// Memory that kernels ask for: malloc and free, lane after lane, and the stack.
#include "traces/ptx/execute/machine.h"
#include "traces/ptx/lanes/lane_rows.h"

namespace strata::traces::ptx {
namespace {

const Op* allocate(Warp& w, const Op* op) {
  for (u32 left = w.mask; left != 0; left &= left - 1) {
    const int i = __builtin_ctz(left);
    row_of<u64>(w, op->d)[i] = w.cta->memory->heap_allocate(row_of<u64>(w, op->a)[i]);
  }
  return op + 1;
}
const Op* release(Warp& w, const Op* op) {
  for (u32 left = w.mask; left != 0; left &= left - 1) {
    const int i = __builtin_ctz(left);
    const u64 address = row_of<u64>(w, op->a)[i];
    if (address != 0 && !w.cta->memory->heap_free(address))
      fault(w, op, i, "free of what malloc did not give:", address, true);
  }
  return op + 1;
}

constexpr HandlerEntry rows[] = {make_row(allocate, {}, "heap.malloc"), make_row(release, {}, "heap.free"),
                                 make_row(do_alloca, {}, "alloca"), make_row(do_stack_save, {}, "stacksave"),
                                 make_row(do_stack_restore, {}, "stackrestore")};

}  // namespace

void add_heap(HandlerTable& table) {
  add(table, rows);
}

}  // namespace strata::traces::ptx
