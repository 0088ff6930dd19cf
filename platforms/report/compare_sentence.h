#pragma once

#include <string>
#include <vector>

#include "platforms/report/run_groups.h"

namespace strata::platforms {

/// `1 234`, `0.4831`; for several runs `1 234 ± 12`.
std::string sample_text(const Sample& sample);
/// `+3.1 %`, `=`, `new`; for several runs `+3.1 % ± 0.4` or `+0.1 %, within noise`.
std::string change_text(const Sample& from, const Sample& to);

/// The ledger rows of a group of accesses: those of the first group, then additional rows of others.
std::vector<std::string> ledger_rows(const std::vector<RunGroup>& groups, const std::string& accesses);

/// How many more or fewer cycles `to` takes than `from`, and where the ledger shows that accesses lost or
/// saved them.
std::string difference_sentence(const RunGroup& from, const RunGroup& to);

}  // namespace strata::platforms
