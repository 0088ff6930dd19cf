#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/instruction_source.h"
#include "traces/instruction_effect.h"

namespace strata::traces::opcodes {

// Instruction sets as listed in NVIDIA's "CUDA Binary Utilities", chapter "Instruction Set Reference".
inline constexpr unsigned kepler = 1, pascal = 2, volta = 4, turing = 8, hopper = 32, blackwell = 64;
inline constexpr unsigned ampere_alone = 16;                           // Ada has the same
inline constexpr unsigned ampere = ampere_alone | hopper | blackwell;  // and later ones
inline constexpr unsigned bulk = hopper | blackwell;                   // with bulk copies and clusters
inline constexpr unsigned old = kepler | pascal;
inline constexpr unsigned recent = volta | turing | ampere;
inline constexpr unsigned uniform = turing | ampere;  // with uniform registers and matrix loads
inline constexpr unsigned all = old | recent;

inline constexpr std::uint16_t generic_flag = 1;  ///< the address decides between the windows
inline constexpr std::uint16_t local_flag = 2;
inline constexpr std::uint16_t copy_flag = 4;    ///< asynchronous copy to shared memory
inline constexpr std::uint16_t commit_flag = 8;  ///< ends a group of these
inline constexpr std::uint16_t wait_flag =
    16;  ///< waits for groups; the immediate is the number that may remain
inline constexpr std::uint16_t unknown_copy_flag = 32;  ///< moves bytes that are not in the trace
inline constexpr std::uint16_t unknown_wait_flag = 64;  ///< orders warps in a way that is not in the trace
inline constexpr std::uint16_t mbarrier_flag = 128;     ///< on a barrier in shared memory, at its address
inline constexpr std::uint16_t cluster_flag = 256;      ///< on the barrier of a cluster

/// Class of an instruction, and the unit that executes it unless it is an access.
struct OpcodeKind {
  constexpr OpcodeKind(OpClass its_class, Unit its_unit = Unit::none) : op(its_class), unit(its_unit) {}
  OpClass op;
  Unit unit;
};

/// An opcode of the instruction sets `families`.
struct OpcodeRow {
  std::string_view name;
  OpcodeKind kind;
  unsigned families;
  std::uint16_t flags = 0;
};

struct OpcodeRows {
  const OpcodeRow* first;
  const OpcodeRow* last;
  const OpcodeRow* begin() const { return first; }
  const OpcodeRow* end() const { return last; }
};
/// All opcodes, sorted by name.
OpcodeRows all_rows();

}  // namespace strata::traces::opcodes

namespace strata::traces {

/// Effect of a row of the opcode table.
InstructionEffect effect_of(const opcodes::OpcodeRow& row);
/// Opcodes whose effect does not follow from their class; a test checks the names.
std::vector<std::string_view> opcodes_with_own_effect();

namespace opcodes {
struct OpcodeRow;
}

/// Lines of the tracer that are no instructions: REPLAY_START and REPLAY_END around a polling loop.
enum class ReplayMark : std::uint8_t { none, start, end };

/// Decoded text of an opcode, such as `LDG.E.128.STRONG.GPU`.
struct Opcode {
  OpClass op = OpClass::alu;
  Unit unit = Unit::none;              ///< execution unit, unless it is an access
  std::uint8_t width = 4;              ///< bytes per lane, from the tokens; memory operations only
  std::uint8_t destination_count = 1;  ///< registers of a vector load
  bool generic = false;                ///< LD, ST: the address decides between the windows and global memory
  std::string_view ignored;            ///< reason, if its effect on traffic or order is not modelled
  bool local = false;
  bool copy = false;                                ///< LDGSTS
  bool unknown_copy = false, unknown_wait = false;  ///< what it moves or waits for is not in the trace
  Sync sync = Sync::none;                           ///< its operand is the immediate
  bool barrier = false;   ///< BAR: the immediate is its number, and `sync` says whether it waits
  bool mbarrier = false;  ///< SYNCS, ARRIVES: operation at the address: `at_address` with `operand`
  Sync at_address = Sync::none;
  std::uint16_t operand = 0;
  bool counts = false;  ///< a register holds the number of arrivals
  bool non_coherent = false;
  bool bypass_l1 = false;
  ReplayMark mark = ReplayMark::none;
};

/// The instruction set of one SASS version, such as 70 or 120.
class OpcodeTable {
 public:
  /// Null if the version has no table.
  static const OpcodeTable* find(std::int64_t binary_version);
  /// `35, 60, ...`, for messages.
  static std::string known_versions();

  /// False if the part of `text` before the first dot is no instruction of this version.
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
