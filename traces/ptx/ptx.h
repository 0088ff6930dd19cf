#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/common/instruction_source.h"
#include "traces/ptx/global_memory.h"
#include "traces/ptx/options.h"

/// CUDA kernels without a GPU: PTX is parsed, interpreted warp by warp and streamed as instructions.
///
///     auto program = PtxProgram::load("saxpy.ptx");
///     PtxSource source([&] {
///       PtxWorkload w;
///       Address x = w.memory.upload(std::vector<float>(n, 1.0f), "x");
///       Address y = w.memory.upload(std::vector<float>(n, 2.0f), "y");
///       w.launches.push_back({program, "saxpy", {n / 256}, {256}, 0, {x, y, 3.0f, n}});
///       return w;
///     });
///     source.run_to_end();                                    // or hand `source` to a platform or a writer
///     auto result = source.memory().load<float>(y, n);        // compare with the reference
///
/// Faults are TraceError: of the file at load time (`file:line: kernel k: ...`), of a launch before it
/// starts, of an instruction with kernel, thread block, thread, PC and source line.
namespace strata::traces {

namespace ptx {
struct Module;
struct DecodedKernel;
class Machine;
}  // namespace ptx

struct PtxParameter {
  std::string name;
  std::uint32_t offset = 0;  ///< in the kernel's parameter block
  std::uint32_t bytes = 0;
  std::uint32_t align = 0;
};

/// What a launch must know of a kernel.
struct PtxKernel {
  std::string name;
  int line = 0;  ///< in the PTX file
  std::vector<PtxParameter> parameters;
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t local_bytes = 0;  ///< per thread
  std::uint32_t registers = 0;  ///< estimate of the machine's registers per thread: most values live at once
  std::uint32_t instructions = 0;
  std::uint32_t max_threads = 1024;  ///< per CTA (`.maxntid`, `.reqntid`)
};

/// A variable of the module that the host may set before a launch: `__device__` or `__constant__`.
struct PtxVariable {
  std::string name;
  std::uint64_t bytes = 0;
};

/// A parsed and checked PTX file. Immutable: share it between sources.
class PtxProgram {
 public:
  /// The text of a file. Throws TraceError.
  static std::string read(const std::string& path);
  /// Read a file. Every kernel is decoded; an instruction that cannot be interpreted is a TraceError that
  /// names file:line, opcode and kernel. `only` (names of kernels) restricts decoding to these.
  static std::shared_ptr<const PtxProgram> load(const std::string& path,
                                                const std::vector<std::string>& only = {});
  /// The same from text; `name` stands for the file in messages.
  static std::shared_ptr<const PtxProgram> parse(const std::string& text, const std::string& name,
                                                 const std::vector<std::string>& only = {});
  ~PtxProgram();
  PtxProgram(const PtxProgram&) = delete;
  PtxProgram& operator=(const PtxProgram&) = delete;

  const std::string& path() const { return path_; }
  const std::vector<PtxKernel>& kernels() const { return kernels_; }
  /// Throws TraceError with the nearest name. A C++ kernel may be named without its mangling when that is
  /// unambiguous: `saxpy` finds `_Z5saxpyPfi`.
  const PtxKernel& kernel(const std::string& name) const;

  /// Names of all kernels of the file, also of those that were not decoded.
  std::vector<std::string> entries() const;
  std::vector<PtxVariable> variables() const;
  /// Whether `name` is `entry`, or `entry` without its C++ mangling.
  static bool names(const std::string& name, const std::string& entry);

  const ptx::Module& module() const { return *module_; }
  std::uint64_t identity() const { return identity_; }  ///< differs between programs of a process

 private:
  PtxProgram() = default;
  std::string path_;
  std::uint64_t identity_ = 0;
  std::vector<PtxKernel> kernels_;
  std::unique_ptr<ptx::Module> module_;
};

/// One kernel argument: any plain value. Its size must be that of the parameter.
struct PtxArgument {
  std::vector<std::uint8_t> bytes;
  PtxArgument() = default;
  template <class T, class = std::enable_if_t<std::is_trivially_copyable<T>::value>>
  PtxArgument(const T& value) : bytes(sizeof(T)) {  // implicit: argument lists read as calls
    std::memcpy(bytes.data(), &value, sizeof(T));
  }
};

struct PtxLaunch {
  std::shared_ptr<const PtxProgram> program;
  std::string kernel;
  Dim3 grid;
  Dim3 block;
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<PtxArgument> arguments;
  /// What the host does between the launch before and this one (clear a flag, swap data); may be empty.
  std::function<void(GlobalMemory&)> before = {};
  std::uint32_t application = 0;
};

/// Memory with its initial contents, and the launches in program order.
struct PtxWorkload {
  GlobalMemory memory;
  std::vector<PtxLaunch> launches;
  /// What the host does after the last launch; may be empty.
  std::function<void(GlobalMemory&)> after = {};
  std::string name = "PTX";
};

struct PtxStats {
  std::uint64_t warp_instructions = 0;  ///< as recorded: moves and the like that cost nothing are not counted
  std::uint64_t thread_instructions = 0;    ///< the same, each times its active lanes
  std::uint64_t executed_instructions = 0;  ///< warp instructions of the PTX, all of them
  std::uint64_t executed_thread_instructions = 0;
};

/// Runs a workload and streams what it executes. One CTA is interpreted at a time, in launch order, when it
/// is asked for; one that is asked for ahead of its turn makes all before it run and kept until they are
/// wanted. Asking for one that was handed out already starts the workload anew.
class PtxSource final : public InstructionSource {
 public:
  /// `make` builds the workload; it must give the same each time (it is called again on a restart).
  explicit PtxSource(std::function<PtxWorkload()> make, PtxOptions options = {});
  ~PtxSource() override;

  const std::vector<KernelInfo>& kernels() const override;
  const std::vector<MemcpyInfo>& copies() const override;
  std::shared_ptr<const CtaTrace> fetch(std::uint32_t kernel, std::uint64_t cta) override;
  std::string description() const override;

  /// Execute all that is left without recording it.
  void run_to_end();
  /// All CTAs have been executed: `memory()` holds the results.
  bool finished() const;
  const GlobalMemory& memory() const;
  PtxStats stats() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Execute one launch at once, without recording: for tests and for checking kernels.
PtxStats execute(const PtxLaunch& launch, GlobalMemory& memory, const PtxOptions& options = {});

}  // namespace strata::traces
