// The part of an LLC slice that flushes and changes its write policy.
#include "models/llc_slice/llc_slice_at.h"

namespace strata {

void LlcSliceAt::begin_flush(LlcFlush what, ApplicationSet whose, SliceFlushDoneIf& done, int id) {
  flush_done_ = &done;
  flush_id_ = id;
  flush_what_ = what;
  flush_whose_ = whose;
  book(clock().now() + 1, flush_unit);
}

std::uint64_t LlcSliceAt::writes_out(ApplicationSet whose) const {
  std::uint64_t sum = 0;
  for (int a = 0; a < max_applications; ++a)
    if ((whose & only_application(a)) != 0) sum += writes_out_[static_cast<std::size_t>(a)];
  return sum;
}

void LlcSliceAt::set_write_through(ApplicationSet whose, bool through) {
  if (core_.dirty_lines(whose) != 0 || core_.fetches(whose) != 0) {
    SC_REPORT_ERROR(name(), "the write policy can change only while no line is dirty or being fetched");
    return;
  }
  core_.set_write_through(whose, through);
}

// One dirty line a cycle; finished when the lines that go are dropped and memory has acknowledged every
// write.
void LlcSliceAt::step_flush(Cycle now) {
  if (!flushing() || !may_flush()) return;
  if (!dropped_) {
    if (!core_.write_room()) return;
    MemoryWrite dirty;
    if (core_.flush_step(flush_what_, flush_whose_, dirty)) {
      write(dirty, nullptr, now);
      return book(now + 1, flush_unit);
    }
    dropped_ = true;
  }
  if (writes_out(flush_whose_) != 0) return;
  dropped_ = false;
  SliceFlushDoneIf& done = *flush_done_;
  flush_done_ = nullptr;
  done.slice_flushed(flush_id_, clock().ledger_at(now));
}

}  // namespace strata
