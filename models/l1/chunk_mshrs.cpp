#include "models/l1/chunk_mshrs.h"

namespace strata {
namespace {

/// The accesses for which `leaves` is true; the others stay in `fifo`, in order.
template <class Leaves>
AccessFifo take_out(AccessFifo& fifo, Leaves leaves) {
  AccessFifo left, stay;
  while (!fifo.empty()) {
    Access& access = fifo.pop();
    (leaves(access) ? left : stay).push(access);
  }
  fifo = stay;
  return left;
}

}  // namespace

int ChunkMshrs::last(int id, ChunkMask chunks) const {
  int found = none;
  for (int fetch = id * line_chunks_; fetch < (id + 1) * line_chunks_; ++fetch)
    if ((fetches_[at(fetch)].chunks & chunks) != 0 &&
        (found == none || fetches_[at(fetch)].order > fetches_[at(found)].order))
      found = fetch;
  return found;
}

AccessFifo ChunkMshrs::leave(int id, ChunkMask chunks) {
  AccessFifo waiters = file_.take_waiters(id);
  const AccessFifo left = take_out(waiters, [=](Access& access) {
    access.tag = static_cast<ChunkMask>(access.tag & ~chunks);
    return access.tag == 0;
  });
  file_.restore_waiters(id, waiters);
  return left;
}

}  // namespace strata
