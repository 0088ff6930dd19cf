#pragma once

#include <string>

#include "platforms/reproduce/page.h"

namespace strata::platforms {

constexpr const char reproduction_file[] = "reproduction.json";

/// What a reproduction has found, for `strata report` and for scripts: claims with the paper's figure, ours
/// and the verdict, orders and the bars of decisions. docs/papers/reproduce.md lists the keys.
std::string findings_json(const Findings& findings, const Measurements& measurements);

}  // namespace strata::platforms
