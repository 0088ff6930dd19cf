#include "models/llc_predictors/sharing_windows.h"

#include <algorithm>
#include <cassert>

#include "models/llc_predictors/bandwidth_model.h"

namespace strata {

SharingWindows::SharingWindows(const SharingWindowsParams& params)
    : params_(params),
      words_((params.sharers + 63) / 64),
      window_end_(params.window),
      slots_(1024),
      sharers_(slots_.size() * static_cast<std::size_t>(words_)),
      lines_by_sharers_(static_cast<std::size_t>(params.sharers) + 1) {
  assert(params.window > 0 && params.sharers > 0);
}

void SharingWindows::observe(std::uint64_t line, int sharer, Cycle now) {
  if (now >= window_end_) {
    close_window();
    window_end_ = (now / params_.window + 1) * params_.window;
  }
  std::size_t slot = find(line);
  if (slots_[slot].generation != generation_) {
    if (2 * used_.size() >= slots_.size()) {
      grow();
      slot = find(line);
    }
    slots_[slot] = {line, generation_};
    used_.push_back(static_cast<std::uint32_t>(slot));
    std::fill_n(&sharers_[slot * static_cast<std::size_t>(words_)], words_, std::uint64_t{0});
  }
  sharers_[slot * static_cast<std::size_t>(words_) + static_cast<std::size_t>(sharer) / 64] |=
      std::uint64_t{1} << (sharer % 64);
}

std::size_t SharingWindows::find(std::uint64_t line) {
  // Fibonacci hashing: the golden ratio spreads consecutive lines.
  std::size_t slot = (line * 0x9e3779b97f4a7c15U >> 32) & (slots_.size() - 1);
  while (slots_[slot].generation == generation_ && slots_[slot].line != line)
    slot = (slot + 1) & (slots_.size() - 1);
  return slot;
}

void SharingWindows::grow() {
  const std::vector<Slot> slots = std::move(slots_);
  const std::vector<std::uint64_t> sharers = std::move(sharers_);
  const std::vector<std::uint32_t> used = std::move(used_);
  const auto words = static_cast<std::size_t>(words_);
  slots_.assign(2 * slots.size(), Slot{});
  sharers_.assign(slots_.size() * words, 0);
  used_.clear();
  used_.reserve(slots_.size());
  for (const std::uint32_t old : used) {
    const std::size_t slot = find(slots[old].line);
    slots_[slot] = slots[old];
    std::copy_n(&sharers[old * words], words, &sharers_[slot * words]);
    used_.push_back(static_cast<std::uint32_t>(slot));
  }
}

void SharingWindows::close_window() {
  const auto words = static_cast<std::size_t>(words_);
  for (const std::uint32_t slot : used_) {
    int count = 0;
    for (std::size_t i = 0; i < words; ++i) count += __builtin_popcountll(sharers_[slot * words + i]);
    ++lines_by_sharers_[static_cast<std::size_t>(count)];
  }
  used_.clear();
  if (++generation_ != 0) return;
  std::fill(slots_.begin(), slots_.end(), Slot{});
  generation_ = 1;
}

void SharingWindows::finish() {
  close_window();
}

std::uint64_t SharingWindows::lines(int from, int to) const {
  std::uint64_t count = 0;
  for (int i = std::max(from, 0); i <= std::min(to, params_.sharers); ++i)
    count += lines_by_sharers_[static_cast<std::size_t>(i)];
  return count;
}

double SharingWindows::share_from(int from) const {
  return rate(lines(from, params_.sharers), lines(1, params_.sharers));
}

}  // namespace strata
