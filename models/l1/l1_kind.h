#pragma once

#include <string>
#include <type_traits>

#include "models/l1/l1.h"

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

/// Makes an L1 with these parameters.
using MakeL1 = std::unique_ptr<Block> (*)(const char* name, const ParamSet& params,
                                          const BuildContext& context);
template <class Design>
std::unique_ptr<Block> make_l1(const char* name, const ParamSet& params, const BuildContext& context) {
  return std::make_unique<L1<Design>>(name, static_cast<const typename Design::Params&>(params), context);
}

/// The row of a design in a table of modules. `textures` makes the L1 with a texture cache beside it,
/// `local` the one that keeps stores to local memory; null: there is none.
template <class Design, MakeL1 textures = nullptr, MakeL1 local = nullptr>
ModuleKind l1_kind(std::string_view name, std::string_view summary) {
  using Params = typename Design::Params;
  ModuleKind kind = module_kind<Params, typename Design::Stats, L1<Design>, true>(name, summary, Role::l1,
                                                                                  "core", l1_ports);
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
    return make_l1<Design>(block, set, context);
  };
  kind.storage = [](const ParamSet& set) {
    const auto& params = static_cast<const Params&>(set);
    StorageFields fields = Design::storage(params);
    params.append_prefetch_storage(fields);
    return fields;
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

/// One row for each design.
const std::vector<ModuleKind>& l1_kinds();

}  // namespace strata
