#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/instruction_source.h"

namespace strata::traces {
namespace opcodes {
struct OpcodeRow;
}

/// What a line marks that is no instruction: the tracer's REPLAY_START and REPLAY_END around a loop that
/// waits.
enum class ReplayMark : std::uint8_t { none, start, end };

/// What the text of an opcode says, e.g. `LDG.E.128.STRONG.GPU`.
struct Opcode {
  OpClass op = OpClass::alu;
  Unit unit = Unit::none;              ///< what executes it, unless it is an access
  std::uint8_t width = 4;              ///< bytes per lane, from the tokens; memory operations only
  std::uint8_t destination_count = 1;  ///< registers of a vector load
  bool generic = false;                ///< LD, ST: the address decides between the windows and global memory
  std::string_view ignored;            ///< the reason, when it moves bytes or orders and is not modelled
  bool local = false;
  bool copy = false;                                ///< LDGSTS
  bool unknown_copy = false, unknown_wait = false;  ///< what it moves or waits for the trace does not tell
  Sync sync = Sync::none;                           ///< its operand is the immediate
  bool barrier = false;   ///< BAR: the immediate names it, and `sync` says whether it waits
  bool mbarrier = false;  ///< SYNCS, ARRIVES: at the address, what `at_address` with `operand` says
  Sync at_address = Sync::none;
  std::uint16_t operand = 0;
  bool counts = false;  ///< arrivals as many as a register says
  bool non_coherent = false;
  bool bypass_l1 = false;
  ReplayMark mark = ReplayMark::none;
};

/// The instruction set of one SASS version, such as 70 or 120.
class OpcodeTable {
 public:
  /// Empty when the version has no table.
  static const OpcodeTable* find(std::int64_t binary_version);
  /// `35, 60, ...`, for messages.
  static std::string known_versions();

  /// False when the part of `text` before the first dot is no instruction of this version.
  bool decode(std::string_view text, Opcode& out) const;
  /// All base opcodes, for the nearest match in messages.
  std::vector<std::string> names() const;
  int version() const { return version_; }

 private:
  OpcodeTable(int version, unsigned family) : version_(version), family_(family) {}
  int version_;
  unsigned family_;
};

}  // namespace strata::traces
