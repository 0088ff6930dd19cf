#pragma once

#include <iosfwd>

#include "tb/contract/run.h"

namespace strata::contract {

/// How much is tried beside what is tried of every module.
struct Budget {
  std::uint64_t seed = 1;
  int drawn = 40;         ///< machines with parameters and work drawn at random
  std::string docs = {};  ///< folder of pages that show the module's table; empty: it need not have one
};

/// The whole list for one module: what is wrong, and how much was tried.
struct Verdict {
  Findings findings;
  int runs = 0;
  int refused = 0;  ///< drawn machines that were refused, as may be
  int values = 0;   ///< of parameters
};
Verdict check_contract(const ModuleKind& kind, const ModuleTable& modules, const Budget& budget);

/// The program: `strata_contract --help` tells. A plug-in's author calls it with a table of his own.
int contract_main(int argc, char** argv, const ModuleTable& modules);

}  // namespace strata::contract
