// Launches that expect all of their thread blocks to be on the machine at once, and do not say so: a thread
// block that waits for one behind it goes on in turns with those.
#include <algorithm>
#include <cstring>

#include "traces/ptx/execute/machine.h"

namespace strata::traces::ptx {
namespace {

constexpr std::size_t begin_a_round = 4;           ///< thread blocks; most wait for few others
constexpr std::uint64_t instructions_a_look = 64;  ///< that the watchdog counts it for

/// Of words of memory, four chains side by side.
class Digest {
 public:
  void add(const void* from, std::size_t bytes) {
    const auto* at = static_cast<const std::uint8_t*>(from);
    for (; bytes >= 32; bytes -= 32, at += 32) {
      std::uint64_t words[4];
      std::memcpy(words, at, 32);
      for (int i = 0; i < 4; ++i) chains_[i] = mixed(chains_[i], words[i]);
    }
    for (; bytes > 0; --bytes) add(*at++);
  }
  void add(std::uint64_t word) { chains_[0] = mixed(chains_[0], word); }
  std::uint64_t value() const { return mixed(mixed(chains_[0], chains_[1]), mixed(chains_[2], chains_[3])); }

 private:
  static std::uint64_t mixed(std::uint64_t value, std::uint64_t word) {
    value = (value ^ word) * 0x9e3779b97f4a7c15;
    return value ^ value >> 32;
  }
  std::uint64_t chains_[4] = {1, 2, 3, 4};
};

}  // namespace

/// Of registers, shared memory and the places of warps.
std::uint64_t Machine::digest() const {
  const std::size_t bytes = kernel_->register_bytes * warps_.size();
  Digest digest;
  digest.add(first_register_, bytes);
  digest.add(state_.shared.data(), state_.shared.size());
  for (const Warp& w : warps_) {
    digest.add(static_cast<std::uint64_t>(w.next - w.code) << 8 | static_cast<std::uint64_t>(w.state));
    digest.add(std::uint64_t{w.alive} << 32 | w.mask);
    digest.add(w.stack->entries.size() << 16 | w.stack->calls.size());
  }
  return digest.value();
}

std::uint64_t Machine::digest_of(const Warp& w) const {
  Digest digest;
  digest.add(w.base[0], kernel_->register_bytes);
  digest.add(static_cast<std::uint64_t>(w.next - w.code));
  digest.add(std::uint64_t{w.alive} << 32 | w.mask);
  return digest.value();
}

/// Looks are so rare that they cost nothing.
bool Machine::is_deadlocked(std::uint64_t round) {
  if (executed_cta_ < still_.next_look) return still_.same;
  const std::size_t bytes = kernel_->register_bytes * warps_.size();
  still_.next_look =
      executed_cta_ + std::max<std::uint64_t>(Stillness::first_look, 4 * (bytes + state_.shared.size()));
  const std::uint64_t now = digest();
  still_.same = still_.looks != 0 && now == still_.seen;
  still_.same_round = round;
  if (!still_.same && (still_.looks & (still_.looks - 1)) == 0) {  // after 0, 1, 2, 4, 8 ... looks
    still_.seen = now;
    still_.seen_round = round;
  }
  ++still_.looks;
  return still_.same;
}

/// A turn of each thread block that has begun and not ended, when a few more have begun.
void Machine::take_turns(bool record) {
  PendingBlocks& all = beside_;
  for (std::size_t n = 0; n < begin_a_round && all.running.size() < most_resident && all.next < info_.ctas();
       ++n) {
    all.machines.push_back(start_other(all.next++, record));
    all.running.push_back(all.machines.back().get());
  }
  ++all.round;
  std::vector<Machine*> next;
  // They wait for each other for ever when all were in their loops at one time, and still are.
  const bool all_begun = all.next == info_.ctas() || all.running.size() == most_resident;
  bool stuck = all_begun, waits = all_begun;
  std::uint64_t last_seen = 0, first_same = all.round;
  for (Machine* one : all.running) {
    if (!one->go_on()) {
      stuck = waits = false;
      continue;
    }
    waits = waits && one->rounds_in_vain_ >= rounds_still;
    stuck = one->is_deadlocked(all.round) && stuck;
    last_seen = std::max(last_seen, one->still_.seen_round);
    first_same = std::min(first_same, one->still_.same_round);
    next.push_back(one);
  }
  all.running.swap(next);
  if (waits) {
    if (!wait_outside(all.running)) abandoned_ = true;
    return;
  }
  if (!stuck || last_seen >= first_same) return;
  wait_for_ever(all.running);
}

/// Nobody on the device ends what these wait for.
void Machine::wait_for_ever(const std::vector<Machine*>& all) const {
  const Warp* at = &all.front()->warps_.front();
  const auto ready = [](const Warp& w) { return w.state == Warp::State::ready; };
  for (auto one = all.rbegin(); one != all.rend(); ++one) {
    const auto found = std::find_if((*one)->warps_.begin(), (*one)->warps_.end(), ready);
    if (found != (*one)->warps_.end()) at = &*found;
  }
  const std::string text =
      "no end: " +
      std::string(all.size() == 1 ? "this loop waits for something that no thread does"
                                  : "all thread blocks of the launch wait for each other") +
      "; here warp " + std::to_string(at->index);
  fault(*at, ready(*at) ? at->next : at->code, ready(*at) ? __builtin_ctz(at->mask) : -1, text.c_str());
}

/// All that runs of the launch goes round in loops that wait: the host, or another kernel, may end that.
/// False: nobody minds when it never ends.
bool Machine::wait_outside(const std::vector<Machine*>& all) {
  PtxWaiting waiting;
  std::uint64_t digest = all.size();
  for (const Machine* const one : all) {
    digest = digest * 0x9e3779b97f4a7c15 ^ one->digest();
    waiting.executed += one->executed_;
  }
  waiting.state = digest;
  for (const Machine* const one : all)
    for (const Warp& w : one->warps_)
      if (w.state == Warp::State::ready && waiting.where.empty())
        waiting.where = place_of(w, w.next, __builtin_ctz(w.mask));
  PtxWaiting::Next next = PtxWaiting::Next::fault;
  if (options_.wait) {
    next = options_.wait(waiting);
  } else if (waiting.state != last_state_ && ++asked_ < options_.watchdog / instructions_a_look) {
    next = PtxWaiting::Next::again;  // they count, or read the clock
    last_state_ = waiting.state;
  }
  if (next == PtxWaiting::Next::fault) wait_for_ever(all);
  if (next == PtxWaiting::Next::stop) {
    abandoned_ = true;
    return false;
  }
  for (Machine* const one : all) {
    one->forget_places();
    one->rounds_in_vain_ = rounds_still - 2;
  }
  return true;
}

/// Memory may have been allocated or freed.
void Machine::forget_places() {
  std::fill(state_.hints.begin(), state_.hints.end(), nullptr);
  std::fill(state_.grounds.begin(), state_.grounds.end(), Ground());
  if (state_.read_only.size() != state_.memory->allocations().size()) state_.read_only.clear();
}

/// The thread block that runs waits: those behind it begin, and it goes on to its end.
const Machine& Machine::run_beside(bool record) {
  const std::uint64_t turn = turn_;
  turn_ = PendingBlocks::short_turn;
  beside_ = PendingBlocks{};
  beside_.running.push_back(this);
  beside_.first = beside_.next = state_.cta + 1;
  do take_turns(record);
  while (!abandoned_ &&
         std::find(beside_.running.begin(), beside_.running.end(), this) != beside_.running.end());
  turn_ = turn;
  count();
  return *this;
}

/// One that has begun beside an earlier one.
const Machine& Machine::end_beside(std::uint64_t cta, bool record) {
  auto& one = beside_.machines[cta - beside_.first];
  while (!abandoned_ &&
         std::find(beside_.running.begin(), beside_.running.end(), one.get()) != beside_.running.end())
    take_turns(record);
  return hand_over(std::move(one));
}

}  // namespace strata::traces::ptx
