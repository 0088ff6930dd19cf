#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "models/noc/allocators/bits.h"

namespace strata {

/// Gives the VCs of outputs to queues of packets, by iSLIP as Islip does: in each iteration every free VC of
/// an output grants one of the queues that bid for it, every queue accepts one VC.
class VcAllocator {
 public:
  VcAllocator(std::size_t outputs, std::size_t vcs, std::size_t queues)
      : vcs_(vcs),
        bids_(outputs * vcs, Bits(queues)),
        bidden_(outputs),
        grant_pointer_(outputs * vcs),
        accept_pointer_(queues),
        chosen_(vcs) {}

  /// For any of the output's VCs that are in `allowed`, a bit each.
  void bid(std::size_t queue, std::size_t output, std::uint32_t allowed) {
    for (std::size_t vc = 0; vc < vcs_; ++vc)
      if ((allowed >> vc & 1U) != 0) bids_[output * vcs_ + vc].set(queue);
    bidden_.set(output);
  }
  /// Match, call `give(output, vc, queue)` for each pair, and forget all bids. `free(output)`: its VCs that
  /// are free, a bit each. False without a bid.
  template <class Free, class Give>
  bool match(int iterations, Free free, Give give) {
    bool any = false;
    bidden_.drain([&](std::size_t o) {
      any = true;
      for (int n = 0; n < iterations; ++n) {
        offer(o, free(o));
        if (taken_.empty()) break;
        for (const auto& [vc, queue] : taken_) {
          if (n == 0) move_pointers(o * vcs_ + vc, queue);
          for (std::size_t v = 0; v < vcs_; ++v) bids_[o * vcs_ + v].clear(queue);
          give(o, vc, queue);
        }
      }
      for (std::size_t v = 0; v < vcs_; ++v) bids_[o * vcs_ + v].reset();
    });
    return any;
  }

 private:
  void offer(std::size_t o, std::uint32_t offered) {
    taken_.clear();
    for (std::uint32_t bits = offered; bits != 0; bits &= bits - 1) {
      const auto vc = static_cast<std::size_t>(__builtin_ctz(bits));
      const Bits& bids = bids_[o * vcs_ + vc];
      if (bids.any())
        chosen_[vc] = bids.first_from(grant_pointer_[o * vcs_ + vc]);
      else
        offered &= ~(1U << vc);
    }
    for (std::uint32_t bits = offered; bits != 0; bits &= bits - 1) {
      const auto vc = static_cast<std::size_t>(__builtin_ctz(bits));
      const std::size_t queue = chosen_[vc];
      bool best = true;
      for (std::uint32_t others = offered; others != 0 && best; others &= others - 1) {
        const auto other = static_cast<std::size_t>(__builtin_ctz(others));
        best = other == vc || chosen_[other] != queue ||
               distance(o * vcs_ + vc, queue) < distance(o * vcs_ + other, queue);
      }
      if (best) taken_.push_back({vc, queue});
    }
  }
  std::size_t distance(std::size_t place, std::size_t queue) const {
    const std::size_t pointer = accept_pointer_[queue];
    return place >= pointer ? place - pointer : place + grant_pointer_.size() - pointer;
  }
  void move_pointers(std::size_t place, std::size_t queue) {
    const std::size_t behind = queue + 1;
    grant_pointer_[place] = static_cast<std::uint16_t>(behind == accept_pointer_.size() ? 0 : behind);
    accept_pointer_[queue] = static_cast<std::uint32_t>(place + 1 == grant_pointer_.size() ? 0 : place + 1);
  }

  std::size_t vcs_;                                         // of an output
  std::vector<Bits> bids_;                                  // queues, by output VC
  Bits bidden_;                                             // outputs with bids
  std::vector<std::uint16_t> grant_pointer_;                // by output VC: queue with the highest priority
  std::vector<std::uint32_t> accept_pointer_;               // by queue: output VC with the highest priority
  std::vector<std::size_t> chosen_;                         // queue that each VC grants
  std::vector<std::pair<std::size_t, std::size_t>> taken_;  // accepted VCs and their queues
};

}  // namespace strata
