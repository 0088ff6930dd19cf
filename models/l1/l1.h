#pragma once

#include "models/l1/l1_pipeline.h"

namespace strata {

/// An L1 with its organization.
template <class Organization>
class L1 final : private L1Holder<Organization>, public L1Pipeline {
 public:
  L1(sc_core::sc_module_name name, const typename Organization::Params& params, const BuildContext& context)
      : L1Holder<Organization>(params, context, name),
        L1Pipeline(name, this->organization, params.line, this->queues(), context) {}
  const Organization& state() const { return this->organization; }
};

}  // namespace strata
