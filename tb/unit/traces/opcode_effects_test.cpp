// What every opcode of the tables moves or orders is known.
#include "traces/accelsim/opcode_effects.h"

#include <algorithm>
#include <set>
#include <string>

#include "tb/support/catch.h"

using namespace strata;
using namespace strata::traces;

namespace {

bool has_own_effect(std::string_view name) {
  const auto names = opcodes_with_own_effect();
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

TEST_CASE("the effect of every opcode that is neither arithmetic nor an access is stated") {
  for (const opcodes::OpcodeRow& row : opcodes::all_rows()) {
    INFO(std::string(row.name));
    const bool stated = has_own_effect(row.name);
    if (row.kind.op == OpClass::other && row.kind.unit != Unit::branch) CHECK(stated);
    // Names that begin so move bytes, whatever their class.
    for (const char* prefix :
         {"TEX", "TLD", "SULD", "SUST", "SURED", "SUATOM", "UBLK", "UTMA", "LDC", "ULDC", "LDT", "STT"})
      if (row.name.substr(0, std::string_view(prefix).size()) == prefix) CHECK(stated);
    const InstructionEffect effect = effect_of(row);
    CHECK(effect.reason.empty() == (effect.effect != Effect::ignored));
    const bool accesses = touches_global_memory(row.kind.op) || touches_shared_memory(row.kind.op);
    CHECK(accesses == (effect.effect == Effect::traffic));
    // The readers act on what is said to order.
    const std::uint16_t orders =
        opcodes::commit_flag | opcodes::wait_flag | opcodes::mbarrier_flag | opcodes::cluster_flag;
    CHECK((effect.effect == Effect::order) == (row.kind.op == OpClass::barrier || (row.flags & orders) != 0));
    // What the SM counts as missing is said to be ignored.
    if ((row.flags & (opcodes::unknown_copy_flag | opcodes::unknown_wait_flag)) != 0)
      CHECK(effect.effect == Effect::ignored);
  }
}

TEST_CASE("effects are stated of opcodes that there are, in the order of their names") {
  const auto names = opcodes_with_own_effect();
  CHECK(std::is_sorted(names.begin(), names.end()));
  std::set<std::string_view> all;
  for (const opcodes::OpcodeRow& row : opcodes::all_rows()) all.insert(row.name);
  for (const std::string_view name : names) {
    INFO(std::string(name));
    CHECK(all.count(name) == 1);
  }
}
