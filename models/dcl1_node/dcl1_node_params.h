#pragma once

#include "models/cache/set_index.h"
#include "models/common/params.h"

namespace strata {

/// The queues of a DC-L1 node beside its cache's miss queue. Defaults: four entries each (HPCA 2021, section
/// VIII, area analysis).
struct DcL1Queues {
  /// Until when a reply stays in Q4.
  enum class FillUntil : int { answered, installed };

  static constexpr int miss_queue = 4;  ///< of the cache inside, unless set
  int request = 4;
  int reply = 4;
  int fill = 4;
  FillUntil fill_until = FillUntil::answered;

  void for_each_param(ParamVisitor& visitor);
};

/// Which lines come to a node, as its parameters say: `homes` and `home_run`.
void home_params(ParamVisitor& visitor, HomeInterleave& shared);

/// Those of the cache inside, and the queues around it.
template <class Design>
struct DcL1NodeParams final : ParamSet {
  typename Design::Params cache;
  DcL1Queues queues;

  DcL1NodeParams() {
    cache.miss_queue = DcL1Queues::miss_queue;
    cache.latency = 30;  // HPCA 2021, section VIII: 7 % above that of an L1 of half the size
  }
  void for_each_param(ParamVisitor& visitor) override {
    cache.for_each_param(visitor);
    home_params(visitor, cache.shared);
    queues.for_each_param(visitor);
  }
  Faults validate() const override {
    Faults faults = cache.validate();
    if (faults.empty() && cache.is_carved())
      faults.push_back(
          param_fault("carve_out", "is set; a node has no part of an SM's memory; allowed: empty"));
    if (faults.empty() && cache.request_bytes != 0)
      faults.push_back(param_fault(
          "request_bytes",
          "is " + to_text(cache.request_bytes) + "; a node sends a request for an access; allowed: 0"));
    if (faults.empty() && cache.texture_sets != 0)
      faults.push_back(
          param_fault("texture_sets", "is " + std::to_string(cache.texture_sets) +
                                          "; loads of the texture path pass a node's cache; allowed: 0"));
    if (faults.empty() && cache.bank_queue != 0)
      faults.push_back(param_fault("bank_queue", "is " + std::to_string(cache.bank_queue) +
                                                     "; a node's requests leave in order; allowed: 0"));
    if (faults.empty()) cache.append_local_fault(faults, "a node keeps no stores of its SMs");
    if (faults.empty()) cache.append_prefetch_fault(faults, "a node has no prefetcher");
    return faults;
  }
};

}  // namespace strata
