#pragma once

#include <string>
#include <vector>

#include "platforms/report/run_groups.h"

namespace strata::platforms {

/// `1 234`, `0.4831`, of several runs `1 234 ± 12`.
std::string sample_text(const Sample& sample);
/// `+3.1 %`, `=`, `new`, of several runs `+3.1 % ± 0.4` or `+0.1 %, within noise`.
std::string change_text(const Sample& from, const Sample& to);

/// The rows of the ledgers of a group of accesses: those of the first, and behind them what others have
/// besides.
std::vector<std::string> ledger_rows(const std::vector<RunGroup>& groups, const std::string& accesses);

/// By how much `to` takes more or fewer cycles than `from`, and where the ledger says that accesses lost or
/// won them.
std::string difference_sentence(const RunGroup& from, const RunGroup& to);

}  // namespace strata::platforms
