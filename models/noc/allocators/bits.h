#pragma once

#include <cstdint>
#include <vector>

namespace strata {

/// A set of small numbers, walked with count-trailing-zeros.
class Bits {
 public:
  explicit Bits(std::size_t size = 0) : words_((size + 63) / 64) {}
  void set(std::size_t bit) { words_[bit / 64] |= std::uint64_t{1} << bit % 64; }
  void clear(std::size_t bit) { words_[bit / 64] &= ~(std::uint64_t{1} << bit % 64); }
  bool test(std::size_t bit) const { return (words_[bit / 64] >> bit % 64 & 1) != 0; }
  bool any() const {
    for (const std::uint64_t word : words_)
      if (word != 0) return true;
    return false;
  }
  bool several() const {
    std::uint64_t seen = 0;
    for (const std::uint64_t word : words_) {
      if ((word & (word - 1)) != 0 || (word != 0 && seen != 0)) return true;
      seen |= word;
    }
    return false;
  }
  void reset() {
    for (std::uint64_t& word : words_) word = 0;
  }
  /// Call `function` for each member in rising order; it may clear the member it is called for.
  template <class Function>
  void each(Function function) const {
    for (std::size_t w = 0; w < words_.size(); ++w)
      for (std::uint64_t bits = words_[w]; bits != 0; bits &= bits - 1)
        function(w * 64 + static_cast<std::size_t>(__builtin_ctzll(bits)));
  }
  /// Visits all elements and empties the set.
  template <class Function>
  void drain(Function function) {
    for (std::size_t w = 0; w < words_.size(); ++w) {
      std::uint64_t bits = words_[w];
      words_[w] = 0;
      for (; bits != 0; bits &= bits - 1) function(w * 64 + static_cast<std::size_t>(__builtin_ctzll(bits)));
    }
  }
  /// The first member from `start` on, cyclically. The set must not be empty.
  std::size_t first_from(std::size_t start) const {
    std::size_t word = start / 64;
    std::uint64_t bits = words_[word] & ~std::uint64_t{0} << start % 64;
    while (bits == 0) {
      if (++word == words_.size()) word = 0;
      bits = words_[word];
    }
    return word * 64 + static_cast<std::size_t>(__builtin_ctzll(bits));
  }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace strata
