// How much a launch may execute and record: a loop that never ends comes to an end here.
#include "traces/ptx/execute/machine.h"

namespace strata::traces::ptx {
namespace {

constexpr std::uint64_t between_progress = std::uint64_t{1} << 24;  // a fifth of a second or so

std::string millions(std::uint64_t count) {
  return count < 10'000'000 ? std::to_string(count) : std::to_string(count / 1'000'000) + " million";
}

}  // namespace

/// After the turn of a warp that executed so many instructions.
void Machine::charge(const Warp& w, std::uint64_t executed) {
  executed_ += executed;
  executed_cta_ += executed;
  since_release_ = w.state == Warp::State::done ? 0 : since_release_ + executed;
  if (w.record) check_records(w);
  if (options_.progress && executed_cta_ - progress_told_ >= between_progress) {
    progress_told_ = executed_cta_;
    const PtxProgress so_far{info_.name, state_.cta, info_.ctas(), executed_cta_};
    options_.progress(&so_far);
  }
  if (w.state != Warp::State::ready) return;
  const int lane = __builtin_ctz(w.mask);
  if (since_release_ > 4 * options_.watchdog)
    fault(
        w, w.next, lane,
        ("no end after " + millions(since_release_) +
         " instructions of a thread block without a barrier: a loop that never ends? (the limit is a 4th of "
         "what a launch may execute: --launch-instructions, or limits.instructions of the workload)")
            .c_str());
  if (executed_ > most_instructions_)
    fault(w, w.next, lane,
          ("no end of the launch after " + millions(executed_) +
           " instructions of its warps: a loop that never ends? (--launch-instructions, or "
           "limits.instructions of the workload, allows more)")
              .c_str());
}

/// What is recorded of this CTA so far.
void Machine::check_records(const Warp& w) const {
  std::uint64_t bytes = state_.addresses.size() * sizeof(Address);
  if (bytes + state_.record_bytes <= most_bytes_) return;
  for (const Warp& one : warps_)
    bytes += static_cast<std::uint64_t>(one.out - one.out_begin) * sizeof(WarpInstruction);
  if (bytes <= most_bytes_) return;
  const Op* at = w.state == Warp::State::ready     ? w.next
                 : w.state == Warp::State::barrier ? w.waiting
                                                   : w.code;
  fault(w, at, -1,
        ("the records of this thread block take more than " + std::to_string(most_bytes_) +
         " B of memory: a loop that never ends? (--launch-memory, or limits.bytes of the workload, allows "
         "more)")
            .c_str());
}

}  // namespace strata::traces::ptx
