#pragma once

#include "models/l1/l1_pipeline.h"

namespace strata {

/// An L1 with its design.
template <class Design>
class L1 final : private L1Holder<Design>, public L1Pipeline {
 public:
  L1(sc_core::sc_module_name name, const typename Design::Params& params, const BuildContext& context)
      : L1Holder<Design>(params, context, name),
        L1Pipeline(name, this->design, params.line, this->queues(), context) {}
  const Design& state() const { return this->design; }
};

}  // namespace strata
