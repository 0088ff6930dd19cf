#pragma once

#include <cstdint>
#include <vector>

#include "models/noc/allocators/bits.h"

namespace strata {

/// The iSLIP allocator (McKeown, IEEE/ACM Trans. Networking 7(2), 1999) of inputs and outputs: in each
/// iteration every free output grants one of its bidders, every free input accepts one grant. Pointers move
/// behind accepted grants of the first iteration only.
class Islip {
 public:
  Islip(std::size_t inputs, std::size_t outputs)
      : inputs_(inputs),
        outputs_(outputs),
        bids_(outputs, Bits(inputs)),
        bidden_(outputs),
        granted_(inputs),
        grant_pointer_(outputs),
        accept_pointer_(inputs),
        offer_(inputs) {}

  bool bids(std::size_t input, std::size_t output) const { return bids_[output].test(input); }
  void bid(std::size_t input, std::size_t output) {
    bids_[output].set(input);
    bidden_.set(output);
  }
  /// True when more than one input bids for `output`.
  bool contested(std::size_t output) const { return bids_[output].several(); }
  /// Match, call `pass(input, output)` for each pair in the order of inputs, and forget all bids.
  template <class Pass>
  void match(int iterations, Pass pass) {
    for (int n = 0; n < iterations; ++n) {
      bidden_.each([&](std::size_t o) {
        if (bids_[o].any()) offer(o, bids_[o].first_from(grant_pointer_[o]));
      });
      if (!granted_.any()) break;
      granted_.drain([&](std::size_t i) {
        const std::size_t o = offer_[i];
        if (n == 0) {
          grant_pointer_[o] = i + 1 == inputs_ ? 0 : i + 1;
          accept_pointer_[i] = o + 1 == outputs_ ? 0 : o + 1;
        }
        pass(i, o);
        if (n + 1 == iterations) return;
        bids_[o].reset();
        bidden_.each([&](std::size_t other) { bids_[other].clear(i); });
      });
    }
    bidden_.drain([&](std::size_t o) { bids_[o].reset(); });
  }

 private:
  // An input accepts the first grant from its pointer on.
  void offer(std::size_t o, std::size_t i) {
    const auto distance = [&](std::size_t output) {
      return output >= accept_pointer_[i] ? output - accept_pointer_[i]
                                          : output + outputs_ - accept_pointer_[i];
    };
    if (!granted_.test(i) || distance(o) < distance(offer_[i])) offer_[i] = o;
    granted_.set(i);
  }

  std::size_t inputs_;
  std::size_t outputs_;
  std::vector<Bits> bids_;  // inputs, by output
  Bits bidden_;             // outputs with bids
  Bits granted_;            // inputs with a grant
  std::vector<std::size_t> grant_pointer_;
  std::vector<std::size_t> accept_pointer_;
  std::vector<std::size_t> offer_;  // by input: the output whose grant it would accept
};

}  // namespace strata
