#pragma once

#include <cstddef>
#include <cstdint>

#include "models/common/timing_wheel.h"

namespace strata {

/// When the ports of one side of a network have turns. They have consecutive numbers of the wheel, port 0
/// that of `first` in a word.
class PortTurns {
 public:
  PortTurns(TimingWheel& wheel, std::uint64_t* word, std::size_t first)
      : wheel_(&wheel), word_(word), first_(static_cast<std::uint32_t>(first)) {}

  /// For ports that all have their numbers in one word.
  [[gnu::always_inline]] void book(std::size_t port, Cycle cycle) {
    wheel_->book(word_, first_ + port, cycle);
  }
  /// For more ports than a word has bits: whole words of one row group.
  void schedule_wide(std::size_t port, Cycle cycle) { wheel_->book(word_ + port / 64, port, cycle); }
  std::uint64_t take_wide(std::size_t word, std::size_t place) {
    const std::uint64_t due = word_[place + word];
    word_[place + word] = 0;
    return due;
  }
  /// True when the wheel's clock must be informed of new turns: it executes no cycle at present.
  bool unattended() const { return !wheel_->under_way(); }

 private:
  TimingWheel* wheel_;
  std::uint64_t* word_;
  std::uint32_t first_;
};

}  // namespace strata
