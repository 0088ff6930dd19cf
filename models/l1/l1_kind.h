#pragma once

#include <string>
#include <type_traits>

#include "models/l1/l1_at.h"

namespace strata {

/// What every L1 has that can be used up; `mshrs` loads can wait for a fetch of their own (0: it does not
/// say), `lines`: its parameter `size` in lines (0: it has none).
Resources l1_resources(const L1Params& params, int mshrs, std::uint64_t lines);

template <class Params, class = void>
constexpr bool has_mshrs = false;
template <class Params>
constexpr bool has_mshrs<Params, std::void_t<decltype(Params::mshrs)>> = true;
template <class Params, class = void>
constexpr bool has_size = false;
template <class Params>
constexpr bool has_size<Params, std::void_t<decltype(Params::size)>> = true;

/// Sockets of every L1.
std::vector<PortSpec> l1_ports(const ParamSet& params);

/// Makes the L1 with a texture cache beside it. Those of our organizations are in a translation unit of their
/// own: where they lie beside the plain L1s, the compiler inlines less of these.
using MakeL1 = std::unique_ptr<Block> (*)(const char* name, const ParamSet& params,
                                          const BuildContext& context);
template <class Organization>
std::unique_ptr<Block> with_textures(const char* name, const ParamSet& params, const BuildContext& context);

/// Makes the L1 that keeps stores to local memory (`local: write_back`); `Base`: what L1WithLocal is around.
template <class Base>
std::unique_ptr<Block> with_local(const char* name, const ParamSet& params, const BuildContext& context);

/// The row of an organization in a table of modules; without `textures` it has no texture cache beside it,
/// without `local` it keeps no stores.
template <class Organization, MakeL1 textures = nullptr, MakeL1 local = nullptr>
ModuleKind l1_kind(std::string_view name, std::string_view summary) {
  using Params = typename Organization::Params;
  ModuleKind kind = module_kind<Params, typename Organization::Stats, L1At<Organization>, true>(
      name, summary, Role::l1, "core", l1_ports);
  kind.make = [](const char* block, const ParamSet& set,
                 const BuildContext& context) -> std::unique_ptr<Block> {
    const auto& params = static_cast<const Params&>(set);
    if (params.local == L1Params::Local::write_back) {
      if constexpr (local != nullptr) return local(block, set, context);
      Faults faults;
      params.append_local_fault(faults,
                                "this L1 keeps no stores (l1_private, l1_sectored and l1_prioritized do)");
      throw ConfigError(faults);
    }
    if (params.texture_sets != 0) {
      if constexpr (textures != nullptr) return textures(block, set, context);
      throw ConfigError(
          Faults{param_fault("texture_sets", "is " + std::to_string(params.texture_sets) +
                                                 ", but this L1 has no texture cache; allowed: 0")});
    }
    if (context.clock.carries_data())
      return std::make_unique<L1At<Organization, true>>(block, params, context);
    return std::make_unique<L1At<Organization>>(block, params, context);
  };
  kind.storage = [](const ParamSet& params) {
    return Organization::storage(static_cast<const Params&>(params));
  };
  kind.resources = [](const ParamSet& set) {
    const auto& params = static_cast<const Params&>(set);
    int mshrs = 0;
    if constexpr (has_mshrs<Params>) mshrs = params.mshrs;
    std::uint64_t lines = 0;
    if constexpr (has_size<Params>) lines = params.size / params.line;
    return l1_resources(params, mshrs, lines);
  };
  return kind;
}

/// One row for each organization of ours.
const std::vector<ModuleKind>& l1_kinds();

}  // namespace strata
