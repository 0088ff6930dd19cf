#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/common/instruction_source.h"
#include "traces/accelsim/out/copy_groups.h"
#include "traces/accelsim/out/register_plan.h"

namespace strata::traces {

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
