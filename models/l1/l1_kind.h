#pragma once

#include "models/l1/l1_at.h"

namespace strata {

/// Sockets of every L1.
std::vector<PortSpec> l1_ports(const ParamSet& params);

/// The row of an organization in a table of modules.
template <class Organization>
ModuleKind l1_kind(std::string_view name, std::string_view summary) {
  using Params = typename Organization::Params;
  ModuleKind kind = module_kind<Params, typename Organization::Stats, L1At<Organization>, true>(
      name, summary, Role::l1, "core", l1_ports);
  kind.storage = [](const ParamSet& params) {
    return Organization::storage(static_cast<const Params&>(params));
  };
  return kind;
}

/// One row for each organization of ours.
const std::vector<ModuleKind>& l1_kinds();

}  // namespace strata
