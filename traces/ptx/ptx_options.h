#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace strata::traces {

struct PtxLaunch;

/// Result of a kernel launch by a kernel, in the numbers below CUDA's device runtime, which converts them to
/// cudaError_t
/// (`cudartErrorCnpMap` in libcudadevrt).
enum class DeviceError : std::uint32_t {
  none = 0,
  invalid_value = 1,
  out_of_memory = 4,
  too_deep = 5,
  out_of_resources = 6,
  invalid_configuration = 7,
};

/// Progress of the running CTA.
struct PtxProgress {
  const std::string& kernel;
  std::uint64_t cta = 0, ctas = 0;
  std::uint64_t instructions = 0;  ///< PTX instructions that its warps have executed
};

/// A launch whose thread blocks all wait, none of them for another.
struct PtxWaiting {
  std::string where;           ///< kernel, thread block, warp and instruction of the first of them
  std::uint64_t executed = 0;  ///< PTX instructions of its thread blocks, without polling iterations
  std::uint64_t state = 0;     ///< if it is the same as last time, only others can end the wait
  enum class Next {
    again,  ///< check again: something may have happened
    stop,   ///< end the launch as it is
    fault,  ///< nothing will end the wait
  };
};

/// What PTX leaves open until it is compiled to machine code, and how strict the interpreter is.
struct PtxOptions {
  /// Moves loads up inside their basic block, as the compiler behind PTX does (docs/guide/ptx.md). Off: PTX
  /// order.
  bool hoist_loads = true;
  /// At most this many loads of a warp are hoisted before the first of their results is read; 1 to 64.
  int loads_in_flight = 8;
  enum class Memcheck : std::uint8_t {
    strict,  ///< loading unwritten global memory, or accessing outside of it, is a fault
    report,  ///< reports errors that a GPU would not notice, once per instruction; such loads give 0, such
             ///< stores are lost
    off,     ///< like report, without messages
  };
  Memcheck memcheck = Memcheck::strict;
  /// Receives the messages of `report`; may be empty.
  std::function<void(const std::string&)> report;
  /// A warp that executes this many instructions between two barriers counts as hung (a spin lock). So does a
  /// CTA whose warps execute four times as many between two barriers or ends of a warp, or that passes a 64th
  /// as many barriers.
  std::uint64_t watchdog = std::uint64_t{1} << 28;
  /// Limit of the PTX instructions of all warps of a launch. Default: the workload's limit, or 16 times the
  /// watchdog. A limit raises the watchdog to at least a 16th of it.
  std::optional<std::uint64_t> max_instructions;
  static constexpr std::uint64_t watchdogs = 16;
  /// Limit of the bytes of one CTA's records. Default: the workload's limit, or 1 GiB.
  std::optional<std::uint64_t> max_bytes;
  static constexpr std::uint64_t default_max_bytes = std::uint64_t{1} << 30;
  /// This many turns of a warp after a barrier end at the next branch. On a GPU the warps of a thread block
  /// leave a barrier together: each reads shared data before another is far ahead, so programs that lack a
  /// barrier there give the right results. 0: no short turns.
  std::uint32_t turns_after_barrier = 0;
  /// Called now and then while a CTA takes long, and with null when it is done; may be empty.
  std::function<void(const PtxProgress*)> progress;
  /// Asked when all thread blocks of a launch wait. Empty: that is a fault.
  std::function<PtxWaiting::Next(const PtxWaiting&)> wait;
  /// Receives the output of a kernel's `printf`; may be empty.
  std::function<void(const std::string&)> print;
  /// Receives a line for each thread whose `assert` fails, before the launch ends with a fault. May be empty.
  std::function<void(const std::string&)> assertion;
  /// Receives a launch by a kernel, to be run when the current launch has ended; `tail`: after all other
  /// launches of it. Empty: a launch by a kernel is a fault.
  std::function<DeviceError(const PtxLaunch&, bool tail)> launch;
  /// Sets the value behind the handle of a graph condition (cudaGraphSetConditional); false if there is none.
  /// Empty: a kernel that sets one is a fault.
  std::function<bool(std::uint64_t handle, std::uint32_t value)> set_condition;
  enum class ReadOnly : std::uint8_t {
    none,      ///< no load is marked read-only
    nc,        ///< the compiler's ld.global.nc, and Strata's ld.global.ro unless the launch contradicts it
    analysis,  ///< these, and loads that the data flow analysis proves; a store that contradicts it is a
               ///< fault
    oracle,    ///< exactly the loads of lines that the launch never writes; it runs twice to find them
  };
  /// Which loads carry the read-only bit; none given: `nc`, or what the workload says.
  std::optional<ReadOnly> read_only;
};

std::string_view to_text(PtxOptions::Memcheck memcheck);
/// `strict`, `report`, `off`. Throws ConfigError as the next.
PtxOptions::Memcheck parse_memcheck(const std::string& what, const std::string& word);
/// `none`, `nc`, `analysis`, `oracle`. Throws ConfigError with the nearest; `what` stands before the message.
PtxOptions::ReadOnly parse_read_only(const std::string& what, const std::string& word);

}  // namespace strata::traces
