#pragma once

#include "models/dcl1_node/dcl1_node_shell.h"

namespace strata {

/// A DC-L1 node around an organization.
template <class Organization>
class DcL1Node final : private L1Holder<Organization>, public DcL1NodeShell {
 public:
  DcL1Node(sc_core::sc_module_name name, const DcL1NodeParams<Organization>& params,
           const BuildContext& context)
      : L1Holder<Organization>(params.cache, context, name),
        DcL1NodeShell(name, this->organization, params.queues, context) {}

  const Organization& state() const { return this->organization; }
};

}  // namespace strata
