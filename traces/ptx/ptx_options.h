#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace strata::traces {

struct PtxLaunch;

/// What a kernel that launches a kernel is told, by the numbers beneath CUDA's device runtime, which makes
/// cudaError_t of them (`cudartErrorCnpMap` in libcudadevrt).
enum class DeviceError : std::uint32_t {
  none = 0,
  invalid_value = 1,
  out_of_memory = 4,
  too_deep = 5,
  out_of_resources = 6,
  invalid_configuration = 7,
};

/// How far the CTA that runs has come.
struct PtxProgress {
  const std::string& kernel;
  std::uint64_t cta = 0, ctas = 0;
  std::uint64_t instructions = 0;  ///< of PTX that its warps have executed
};

/// A launch whose thread blocks all wait for something that none of them does.
struct PtxWaiting {
  std::string where;           ///< kernel, thread block, warp and instruction of the first of them
  std::uint64_t executed = 0;  ///< PTX instructions of its thread blocks that did something new
  std::uint64_t state = 0;     ///< the same as the last time: they will wait for ever unless others act
  enum class Next {
    again,  ///< something may have happened: they look again
    stop,   ///< the launch ends as it is
    fault,  ///< nobody will end this
  };
};

/// What PTX lacks until it is compiled to machine code, and how strict the interpreter is.
struct PtxOptions {
  /// Move loads up inside their basic block, as the compiler behind PTX does (docs/guide/ptx.md). Off: PTX
  /// order.
  bool hoist_loads = true;
  /// At most this many loads of a warp are hoisted before the first of their results is read; 1 to 64.
  int loads_in_flight = 8;
  enum class Memcheck : std::uint8_t {
    strict,  ///< a load of global memory that nobody wrote is a fault, as is an access outside of it
    report,  ///< what a GPU would not notice is told once an instruction: such loads give 0, such stores are
             ///< lost
    off,     ///< the same without a word
  };
  Memcheck memcheck = Memcheck::strict;
  /// ReportedOnce what `report` finds; may be empty.
  std::function<void(const std::string&)> report;
  /// A warp that executes this many instructions between two barriers is taken to hang (a spin lock), and so
  /// is a CTA whose warps execute four times as many between two barriers or ends of a warp, or that passes a
  /// 64th as many barriers.
  std::uint64_t watchdog = std::uint64_t{1} << 28;
  /// PTX instructions that the warps of a launch may execute together. None given: what the workload says, or
  /// `watchdogs` times the watchdog. One given makes the watchdog such a part of it at least.
  std::optional<std::uint64_t> max_instructions;
  static constexpr std::uint64_t watchdogs = 16;
  /// Bytes that the records of one CTA may take. None given: what the workload says, or `default_max_bytes`.
  std::optional<std::uint64_t> max_bytes;
  static constexpr std::uint64_t default_max_bytes = std::uint64_t{1} << 30;
  /// So many turns of a warp after a barrier end at the next branch. On a GPU the warps of a thread block
  /// leave a barrier together: what all of them read behind it they have read before one of them is far
  /// ahead, and programs that lack a barrier there give the right results. 0: a warp runs on.
  std::uint32_t turns_after_barrier = 0;
  /// Called now and then while a CTA takes long, and with nullptr when it is done; may be empty.
  std::function<void(const PtxProgress*)> progress;
  /// Asked when all thread blocks of a launch wait. Empty: that is a fault.
  std::function<PtxWaiting::Next(const PtxWaiting&)> wait;
  /// Takes what `printf` of a kernel says; empty: it says nothing.
  std::function<void(const std::string&)> print;
  /// Takes what a failed `assert` of a kernel says, a line for each thread, before it ends as a fault. May be
  /// empty.
  std::function<void(const std::string&)> assertion;
  /// Takes a kernel that a kernel launches, to be run when the launch that runs has ended; `tail`: behind all
  /// others of it. Empty: a launch by a kernel is a fault.
  std::function<DeviceError(const PtxLaunch&, bool tail)> launch;
  /// Sets the value behind a handle of a condition of a graph (cudaGraphSetConditional); false: there is
  /// none. Empty: a kernel that sets one is a fault.
  std::function<bool(std::uint64_t handle, std::uint32_t value)> set_condition;
  enum class ReadOnly : std::uint8_t {
    none,      ///< no load is marked read-only
    nc,        ///< the compiler's ld.global.nc, and our ld.global.ro where the launch does not contradict it
    analysis,  ///< these, and what the data flow pass proves; a store that proves it wrong is a fault
    oracle,    ///< exactly the loads of lines that nothing writes in the launch, which is run twice to know
               ///< them
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
