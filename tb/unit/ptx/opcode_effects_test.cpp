// What every instruction of PTX moves or orders is known.
#include "traces/ptx/decode/opcode_effects.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tb/support/catch.h"
#include "traces/ptx/decode/decoded_kernel.h"

using namespace strata::traces;
using namespace strata::traces::ptx;

TEST_CASE("the effect of every instruction that kernels may have is stated, and the others are refused") {
  const std::vector<std::string> names = interpreted_instructions();
  const std::set<std::string> interpreted(names.begin(), names.end());
  std::set<std::string> stated;
  for (const PtxOpcode& row : ptx_opcodes()) {
    INFO(std::string(row.name));
    const bool runs = interpreted.count(std::string(row.name)) != 0;
    CHECK(runs == (row.effect.effect != Effect::refused));
    CHECK(row.effect.reason.empty() == (row.effect.effect != Effect::ignored));
    CHECK(stated.insert(std::string(row.name)).second);
  }
  for (const std::string& name : interpreted) {
    INFO(name);
    CHECK(stated.count(name) == 1);
  }
}

TEST_CASE("the table of instructions is in the order of names") {
  const auto& rows = ptx_opcodes();
  CHECK(std::is_sorted(rows.begin(), rows.end(),
                       [](const PtxOpcode& one, const PtxOpcode& other) { return one.name < other.name; }));
}
