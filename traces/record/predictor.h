#pragma once

#include <cstdint>
#include <vector>

#include "traces/record/dictionary.h"

namespace strata::traces::record {

/// What writer and reader expect next; only surprises are stored. Both sides call the same functions in the
/// same order. State starts anew with each CTA, so that any CTA can be read alone.
class Predictor {
 public:
  explicit Predictor(const Dictionary& dictionary) : dictionary_(dictionary) {}

  void begin_cta() {
    entries_.clear();
    warp_ = 0;
    shift_ = warp_step_ = loop_step_ = 0;
    first_code_ = 0;
  }
  void begin_warp() {
    ++warp_;
    previous_ = none;
    mask_ = 0xffffffff;
  }

  /// The instruction that followed the present one last time; at first, the next one of the dictionary.
  std::uint32_t code() const { return previous_ == none ? first_code_ : entries_[previous_].successor; }
  void learn_code(std::uint32_t code) {
    if (previous_ == none)
      first_code_ = code;
    else
      entries_[previous_].successor = code;
    while (entries_.size() <= code) entries_.push_back(fresh(static_cast<std::uint32_t>(entries_.size())));
    previous_ = code;
  }

  std::uint32_t mask() const { return mask_; }
  void learn_mask(std::uint32_t mask) { mask_ = mask; }

  std::int32_t stride() const { return entries_[previous_].stride; }
  void learn_stride(std::int32_t stride) { entries_[previous_].stride = stride; }

  /// In a loop: the last address plus the last step. A warp's first: that of the warp before plus the last
  /// step between warps. A CTA's first: the address of its first execution, moved like the instruction
  /// before.
  Address address() const {
    const Entry& entry = entries_[previous_];
    if (entry.warp == 0) return dictionary_[previous_].base + shift_;
    if (entry.warp == warp_) return entry.last + (entry.looped ? entry.step : loop_step_);
    return entry.warp_first + (entry.repeated ? entry.warp_step : warp_step_);
  }
  void learn_address(Address address) {
    Entry& entry = entries_[previous_];
    if (entry.warp == warp_) {
      loop_step_ = entry.step = address - entry.last;
      entry.looped = true;
    } else {
      if (entry.warp == 0) {
        shift_ = address - dictionary_[previous_].base;
      } else {
        warp_step_ = entry.warp_step = address - entry.warp_first;
        entry.repeated = true;
      }
      entry.warp_first = address;
      entry.warp = warp_;
    }
    entry.last = address;
  }

 private:
  static constexpr std::uint32_t none = 0xffffffff;
  struct Entry {
    Address last = 0, step = 0, warp_first = 0, warp_step = 0;
    std::uint32_t successor = 0;
    std::uint32_t warp = 0;  ///< warp (from 1) that executed it last, 0 = none yet
    std::int32_t stride = 0;
    bool looped = false;    ///< `step` is known
    bool repeated = false;  ///< `warp_step` is known
  };
  static Entry fresh(std::uint32_t code) {
    Entry entry;
    entry.successor = code + 1;
    return entry;
  }

  const Dictionary& dictionary_;
  std::vector<Entry> entries_;
  std::uint32_t warp_ = 0;
  std::uint32_t previous_ = none;
  std::uint32_t first_code_ = 0;
  std::uint32_t mask_ = 0xffffffff;
  Address shift_ = 0, warp_step_ = 0, loop_step_ = 0;
};

}  // namespace strata::traces::record
