#pragma once

#include <algorithm>
#include <vector>

#include "models/common/access.h"
#include "models/l1/l1_params.h"

namespace strata {

/// Where the requests of a banked L1 wait in front of its miss queue, each at the bank of its first sector.
/// Of the banks one request each enters the miss queue in a cycle, as far as there is room, the lowest bank
/// first: while the queue is full the others wait for it, and then for those that came behind them. With
/// `bank_mshrs` a request of a fetch takes one of these when it goes there, and keeps it until it is
/// answered.
class L1BankQueues {
 public:
  L1BankQueues(const L1Params& params, Bytes line)
      : mshrs_(params.bank_mshrs),
        word_sectors_(std::max(1U, static_cast<unsigned>(params.bytes_or(line) / sector_bytes) /
                                       static_cast<unsigned>(params.banks))),
        places_(params.bank_queue),
        miss_queue_(params.miss_queue) {
    if (places_ != 0) banks_.resize(static_cast<std::size_t>(params.banks));
  }

  /// Requests go to the miss queue at once.
  bool none() const { return banks_.empty(); }
  int waiting() const { return waiting_; }
  /// A bank of these sectors of a line has no place left: what comes to it, hits too, waits for one.
  bool full(Address line, std::uint8_t sectors) const {
    for (unsigned left = none() ? 0 : sectors; left != 0; left &= left - 1)
      if (banks_[bank_of(line, left)].size() >= places_) return true;
    return false;
  }
  /// It may enter the miss queue from its cycle `ready` on.
  void push(Access& access) {
    banks_[bank_of(access.line, access.sectors)].push(access);
    ++waiting_;
  }
  /// Into the miss queue in cycle `now`, once a cycle. Returns when to look again; never when nothing waits.
  Cycle feed(AccessFifo& miss_queue, Cycle now) {
    Cycle next = never;
    for (AccessFifo& bank : banks_) {
      if (now >= next_feed_ && !bank.empty() && bank.front().ready <= now &&
          miss_queue.size() < miss_queue_ && takes_mshr(bank.front())) {
        miss_queue.push(bank.pop());
        --waiting_;
      }
      if (!bank.empty()) next = std::min(next, bank.front().ready);
    }
    next_feed_ = now + 1;
    return next == never ? never : std::max(next, now + 1);
  }
  /// A request of a fetch is answered.
  void answered() {
    if (mshrs_ != 0) --mshrs_taken_;
  }

  // Last route entry of requests that belong to no fetch.
  static constexpr int passing = 0xffff;       ///< an access that travels on as it is
  static constexpr int part = 0xfffe;          ///< a part of one
  static constexpr int written_back = 0xfffd;  ///< dirty sectors

 private:
  // False when it needs an MSHR and there is none.
  bool takes_mshr(const Access& request) {
    if (mshrs_ == 0 || request.route[request.depth - 1] >= written_back) return true;
    if (mshrs_taken_ == mshrs_) return false;
    ++mshrs_taken_;
    return true;
  }
  std::size_t bank_of(Address line, unsigned sectors) const {
    return (line / sector_bytes + static_cast<unsigned>(__builtin_ctz(sectors))) / word_sectors_ %
           banks_.size();
  }

  int mshrs_;
  int mshrs_taken_ = 0;
  unsigned word_sectors_;
  int places_;
  int miss_queue_;
  int waiting_ = 0;
  Cycle next_feed_ = 0;
  std::vector<AccessFifo> banks_;
};

}  // namespace strata
