#pragma once

#include <string>

#include "platforms/studies/reproduce/page.h"

namespace strata::platforms {

constexpr const char reproduction_file[] = "reproduction.json";

/// The findings of a reproduction, for `strata report` and for scripts: claims with the paper's figure, the
/// measured one and the verdict, orders, and the goals of decisions. docs/papers/reproduce.md lists the keys.
std::string findings_json(const Findings& findings, const Measurements& measurements);

}  // namespace strata::platforms
