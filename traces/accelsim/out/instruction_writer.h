#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <string>
#include <vector>

#include "models/common/instruction_source.h"

namespace strata::traces {

/// Asynchronous copies of a warp and their groups, as far as Accel-Sim needs them told its own way.
///
/// - It keeps a list of groups and looks at all but the newest N when a wait leaves N: with fewer groups it
///   reads outside of its list. So a wait leaves no more than there are.
/// - It knows a copy that is under way by its PC and the address of lane 0, which is 0 while that lane is
/// off,
///   and waits forever for the second of two that are equal. So the PC of a copy that may meet its like is
///   one of the 15 behind, where no instruction begins.
class CopyGroups {
 public:
  /// A warp begins.
  void begin();
  /// A copy at `pc` with `first_address` of lane 0, 0 where it is off: the PC to write.
  std::uint32_t pc_of(std::uint32_t pc, Address first_address);
  void commit() { ++groups_; }
  /// A wait until `left` groups are incomplete: the number to write.
  std::uint32_t wait(std::uint32_t left);

 private:
  struct Copy {
    std::uint32_t pc;  // as written
    std::uint32_t group;
    Address address;
  };

  std::vector<Copy> under_way_;
  std::uint32_t groups_ = 0;  // that were committed
};

/// Registers of a warp's instructions as a trace names them. Of loads from PTX it is known how far away the
/// first reader is, and no register: each gets registers that nothing else uses from there to its reader, and
/// the reader names the first of them as a source. Registers that an instruction names already stay. Of loads
/// from shared memory not even the distance is known, and still each must write a register: Accel-Sim counts
/// such a load when its result is written, and one without a destination never. They take turns in the upper
/// registers, which nobody reads.
class RegisterPlan {
 public:
  static constexpr std::size_t most_sources = 4;  // that Accel-Sim takes

  /// No instruction writes it: who names it as a source waits for nothing.
  static constexpr std::uint8_t never_written = 254;

  /// Loads from shared memory without a register of their own write these in turn, from the first on: so
  /// many that the last load to the same register has ended when it comes again.
  static constexpr unsigned first_shared = 190, end_shared = never_written;

  struct Named {
    std::uint8_t destination = no_register;
    std::uint8_t count = 0;  ///< of `sources`
    std::array<std::uint8_t, most_sources> sources{};
  };

  /// Of the instructions [begin, end) of a thread block.
  void begin(const CtaTrace& cta, std::uint32_t begin, std::uint32_t end);
  /// Of the next record: for the first instruction that it stands for.
  Named next();
  /// Further sources of the record before, for each instruction that it stands for behind the first.
  Named more();

  /// Sources that were more than a trace holds: the wait for a load went to the next instruction, and others
  /// were dropped.
  std::uint64_t waits_moved() const { return waits_moved_; }
  std::uint64_t sources_dropped() const { return sources_dropped_; }
  /// Loads whose results nobody waits for, as all registers were in use.
  std::uint64_t without_register() const { return without_register_; }

 private:
  struct Load {
    std::uint32_t reader;  // of the warp's records
    std::uint8_t first, count;
  };

  void add_due(Named& named);
  std::uint8_t take(const WarpInstruction& load, std::uint32_t distance);
  std::uint8_t take_in_turn(const WarpInstruction& load);

  const CtaTrace* cta_ = nullptr;
  std::uint32_t begin_ = 0, end_ = 0, at_ = 0;
  unsigned next_shared_ = first_shared;
  std::bitset<no_register> busy_;  // named by the warp's instructions, or of a load that waits for its reader
  std::vector<Load> loads_;        // these, in the order in which they were issued
  std::uint64_t waits_moved_ = 0, sources_dropped_ = 0, without_register_ = 0;
};

/// A load, or an atomic that returns something, for which only the distance to its first reader is known.
constexpr bool reader_is_counted(const WarpInstruction& i) {
  return touches_global_memory(i.op) && i.op != OpClass::store && !i.async && i.first_use != unknown_distance;
}

/// What a trace cannot say, counted by instruction.
struct ExportLosses {
  std::uint64_t waits_moved = 0;       ///< a load is waited for an instruction later
  std::uint64_t sources_dropped = 0;   ///< a fifth source register
  std::uint64_t without_register = 0;  ///< a load that nothing waits for, as all registers were in use
  std::uint64_t bulk_copies = 0;       ///< parts written as asynchronous copies of the warp
  std::uint64_t orders = 0;  ///< waits for groups of bulk copies and the like: an issue slot is left
};

/// Writes the instructions of warps as lines of an Accel-Sim trace of version 5: one line for each
/// instruction, also of those that one record stands for.
class InstructionWriter {
 public:
  /// Appends the lines of a warp, behind its `warp =` and `insts =`.
  void add_warp(const CtaTrace& cta, std::uint32_t warp, std::string& text);

  std::uint64_t instructions() const { return instructions_; }
  ExportLosses losses() const;
  /// There were instructions that Volta does not have: asynchronous copies.
  bool needs_ampere() const { return needs_ampere_; }
  /// There were instructions that Ampere does not have: barriers in shared memory and of clusters, bulk
  /// copies.
  bool needs_hopper() const { return needs_hopper_; }
  /// There was a barrier for some of the warps, whose count takes a second immediate, or what else takes a
  /// line of version 6.
  bool needs_second_immediate() const { return needs_second_immediate_; }
  /// There was control flow that counts as arithmetic, as PTX does it.
  bool branches_are_arithmetic() const { return branches_are_arithmetic_; }
  /// There were records of several instructions.
  bool has_runs() const { return has_runs_; }

 private:
  using Lanes = std::array<Address, 32>;

  /// A bulk load of several records that is a line: its parts, and the report to its barrier.
  struct BulkLoad {
    std::uint32_t end = 0;  ///< behind its last record; 0: it is none
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
