#pragma once

#include <cassert>
#include <cstdint>

namespace strata {

/// Division and remainder by a constant known at run time, without a divide instruction. Exact for dividends
/// below 2^48 and divisors below 2^16: the reciprocal's error, below dividend / 2^64, never reaches 1 /
/// divisor.
class Reciprocal {
 public:
  explicit Reciprocal(std::uint64_t divisor) : divisor_(divisor) {
    assert(divisor > 0 && divisor < 65536);
    factor_ = divisor == 1 ? 0 : ~std::uint64_t{0} / divisor + 1;
  }
  std::uint64_t divisor() const { return divisor_; }
  std::uint64_t quotient(std::uint64_t dividend) const {
    assert(dividend >> 48 == 0);
    if (factor_ == 0) return dividend;
    return static_cast<std::uint64_t>(static_cast<Wide>(dividend) * factor_ >> 64);
  }
  std::uint64_t remainder(std::uint64_t dividend) const { return dividend - quotient(dividend) * divisor_; }

 private:
  __extension__ typedef unsigned __int128 Wide;
  std::uint64_t divisor_;
  std::uint64_t factor_;
};

}  // namespace strata
