#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <string>
#include <vector>

#include "models/common/instruction_source.h"

namespace strata::traces {

/// Asynchronous copies of a warp and their groups, adapted to two properties of Accel-Sim:
///
/// - It keeps a list of groups. A wait that leaves N reads all but the newest N, beyond the list if there are
/// fewer. So the
///   written N is never larger than the number of groups.
/// - It identifies a copy in flight by its PC and the address of lane 0 (0 if that lane is inactive), and
/// waits forever for the
///   second of two equal ones. So a copy that could equal another gets one of the 15 following PCs, where no
///   instruction begins.
class CopyGroups {
 public:
  /// A warp begins.
  void begin();
  /// The PC to write for a copy at `pc`, with `first_address` of lane 0 (0 if inactive).
  std::uint32_t pc_of(std::uint32_t pc, Address first_address);
  void commit() { ++groups_; }
  /// The number to write for a wait until `left` groups are incomplete.
  std::uint32_t wait(std::uint32_t left);

 private:
  struct Copy {
    std::uint32_t pc;  // as written
    std::uint32_t group;
    Address address;
  };

  std::vector<Copy> under_way_;
  std::uint32_t groups_ = 0;  // committed ones
};

/// Assigns registers to a warp's instructions. A load from PTX has no register, only the distance to its
/// first reader: it gets registers that are unused until the reader, and the reader names the first of them
/// as a source. Registers in the record stay. For loads from shared memory even the distance is unknown, but
/// they must write a register: Accel-Sim counts such a load when its result is written. They use the upper
/// registers in turn, which are never read.
class RegisterPlan {
 public:
  static constexpr std::size_t most_sources = 4;  // limit of Accel-Sim

  /// Never written: an instruction that names it as a source does not wait.
  static constexpr std::uint8_t never_written = 254;

  /// Loads from shared memory without a register write these in turn. There are so many that the last load to
  /// a register has ended when the register is used again.
  static constexpr unsigned first_shared = 190, end_shared = never_written;

  struct Named {
    std::uint8_t destination = no_register;
    std::uint8_t count = 0;  ///< of `sources`
    std::array<std::uint8_t, most_sources> sources{};
  };

  /// For instructions [begin, end) of a thread block.
  void begin(const CtaTrace& cta, std::uint32_t begin, std::uint32_t end);
  /// Registers of the next record, for its first instruction.
  Named next();
  /// Further sources of the same record, for each of its other instructions.
  Named more();

  /// Sources beyond the limit of a trace: a wait for a load was moved to the next instruction; other sources
  /// were dropped.
  std::uint64_t waits_moved() const { return waits_moved_; }
  std::uint64_t sources_dropped() const { return sources_dropped_; }
  /// Loads whose result is not waited for because all registers were in use.
  std::uint64_t without_register() const { return without_register_; }

 private:
  struct Load {
    std::uint32_t reader;  // index of a record of the warp
    std::uint8_t first, count;
  };

  void add_due(Named& named);
  std::uint8_t take(const WarpInstruction& load, std::uint32_t distance);
  std::uint8_t take_in_turn(const WarpInstruction& load);

  const CtaTrace* cta_ = nullptr;
  std::uint32_t begin_ = 0, end_ = 0, at_ = 0;
  unsigned next_shared_ = first_shared;
  std::bitset<no_register> busy_;  // named by the warp's instructions, or held for a load until its reader
  std::vector<Load> loads_;        // these loads, in order of issue
  std::uint64_t waits_moved_ = 0, sources_dropped_ = 0, without_register_ = 0;
};

/// True for a load, or an atomic with a result, of which only the distance to its first reader is known.
constexpr bool reader_is_counted(const WarpInstruction& i) {
  return touches_global_memory(i.op) && i.op != OpClass::store && !i.async && i.first_use != unknown_distance;
}

/// Information that a trace cannot hold, counted by instruction.
struct ExportLosses {
  std::uint64_t waits_moved = 0;       ///< a wait for a load was moved to the next instruction
  std::uint64_t sources_dropped = 0;   ///< a fifth source register
  std::uint64_t without_register = 0;  ///< a load that is not waited for because all registers were in use
  std::uint64_t bulk_copies = 0;       ///< parts written as asynchronous copies of the warp
  std::uint64_t orders = 0;  ///< waits for groups of bulk copies and the like, written as an issue slot
};

/// Writes the instructions of warps as lines of an Accel-Sim trace of version 5, one line per instruction,
/// also for records of several instructions.
class InstructionWriter {
 public:
  /// Appends the lines of a warp, after its `warp =` and `insts =`.
  void add_warp(const CtaTrace& cta, std::uint32_t warp, std::string& text);

  std::uint64_t instructions() const { return instructions_; }
  ExportLosses losses() const;
  /// Some instructions need Ampere: asynchronous copies.
  bool needs_ampere() const { return needs_ampere_; }
  /// Some instructions need Hopper: barriers in shared memory and of clusters, bulk copies.
  bool needs_hopper() const { return needs_hopper_; }
  /// Some lines need version 6: barriers of some of the warps, whose count is a second immediate, and others.
  bool needs_second_immediate() const { return needs_second_immediate_; }
  /// Some control flow counts as arithmetic, as in PTX.
  bool branches_are_arithmetic() const { return branches_are_arithmetic_; }
  /// Some records have several instructions.
  bool has_runs() const { return has_runs_; }

 private:
  using Lanes = std::array<Address, 32>;

  /// A bulk load of several records that is one line: its parts, and the report to its barrier.
  struct BulkLoad {
    std::uint32_t end = 0;  ///< index after its last record; 0: none
    std::vector<Address> lanes;
  };
  static BulkLoad bulk_load(const CtaTrace& cta, std::uint32_t from, std::uint32_t end);
  void add_bulk_load(const CtaTrace& cta, const BulkLoad& load, std::uint32_t from, std::string& text);
  void add_mbarrier(const CtaTrace& cta, const WarpInstruction& instruction, const RegisterPlan::Named& named,
                    std::string& text);
  void add_record(const CtaTrace& cta, const WarpInstruction& instruction, const WarpInstruction* before,
                  std::string& text);
  void add_run(const WarpInstruction& instruction, RegisterPlan::Named named, std::string& text);
  void add_access(const CtaTrace& cta, const WarpInstruction& instruction, const RegisterPlan::Named& named,
                  std::string& text);
  void add_barrier(const WarpInstruction& instruction, const RegisterPlan::Named& named,
                   std::size_t all_warps, std::string& text);
  static void add_addresses(const WarpInstruction& instruction, int lanes, const Lanes& address,
                            std::string& text);

  RegisterPlan registers_;
  CopyGroups copies_;
  std::uint64_t instructions_ = 0;
  ExportLosses losses_;
  bool needs_ampere_ = false, needs_hopper_ = false, needs_second_immediate_ = false,
       branches_are_arithmetic_ = false;
  bool has_runs_ = false;
};

}  // namespace strata::traces
