#pragma once

#include "models/dcl1_node/dcl1_pipeline.h"

namespace strata {

/// A DC-L1 node around a design.
template <class Design>
class DcL1Node final : private L1Holder<Design>, public DcL1Pipeline {
 public:
  DcL1Node(sc_core::sc_module_name name, const DcL1NodeParams<Design>& params, const BuildContext& context)
      : L1Holder<Design>(params.cache, context, name),
        DcL1Pipeline(name, this->design, params.cache.line, params.queues, this->queues(), context) {
    const std::uint64_t most = context.map.line_bytes();
    if (params.cache.line.count > most)
      throw ConfigError(Faults{{{this->name(), 0, 0},
                                "line is " + to_text(params.cache.line) +
                                    ", and a node asks for whole lines; allowed: at most " +
                                    to_text(Bytes(most)) + ", as the address map"}});
  }

  const Design& state() const { return this->design; }
};

}  // namespace strata
