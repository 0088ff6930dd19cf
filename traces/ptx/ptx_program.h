#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "models/common/faults.h"
#include "models/common/instruction_source.h"
#include "traces/ptx/global_memory.h"

namespace strata::traces {

namespace ptx {
struct Module;
struct Function;
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
  /// CTAs of a cluster that the kernel was compiled for (`.reqnctapercluster`); none: the launch says it.
  std::optional<Dim3> cluster;
  std::uint32_t max_cluster = 0;  ///< CTAs of a cluster at most (`.maxclusterrank`); 0: none given
  std::shared_ptr<const CodeLines> lines;
};

/// A variable of the module that the host may set before a launch: `__device__` or `__constant__`.
struct PtxVariable {
  std::string name;
  std::uint64_t bytes = 0;
};

/// A kernel that cannot be interpreted, and why.
struct PtxRefusal {
  std::string kernel;
  std::shared_ptr<const TraceError> fault;
};

/// A parsed and checked PTX file. Immutable: share it between sources.
class PtxProgram {
 public:
  /// The text of a file. Throws TraceError.
  static std::string read(const std::string& path);
  /// Read a file and decode its kernels. One that cannot be interpreted is kept as refused: to ask for it is
  /// a TraceError that names file:line, opcode and kernel. `only` (names of kernels) restricts decoding to
  /// these, none of which may be refused; without it, a file whose kernels are all refused is.
  static std::shared_ptr<const PtxProgram> load(const std::string& path,
                                                const std::vector<std::string>& only = {});
  /// The same from text; `name` stands for the file in messages.
  static std::shared_ptr<const PtxProgram> parse(const std::string& text, const std::string& name,
                                                 const std::vector<std::string>& only = {});
  /// From text, no kernel decoded: `prepare` does that. Several texts behind each other are one module, as a
  /// linker makes it: what one declares `.extern` another defines.
  static std::shared_ptr<PtxProgram> open(const std::string& text, const std::string& name);
  /// Decodes a kernel, by its full name, unless that was done. Throws TraceError as `parse` does.
  const PtxKernel& prepare(const std::string& entry);
  ~PtxProgram();
  PtxProgram(const PtxProgram&) = delete;
  PtxProgram& operator=(const PtxProgram&) = delete;

  const std::string& path() const { return path_; }
  const std::vector<PtxKernel>& kernels() const { return kernels_; }
  /// Throws TraceError with the nearest name. A C++ kernel may be named without its mangling when that is
  /// unambiguous: `saxpy` finds `_Z5saxpyPfi`.
  const PtxKernel& kernel(const std::string& name) const;

  /// Those that cannot be interpreted; kernels() has the others.
  const std::vector<PtxRefusal>& refused() const { return refused_; }
  /// Names of all kernels of the file, also of those that were not decoded.
  std::vector<std::string> entries() const;
  std::vector<PtxVariable> variables() const;
  /// Whether `name` is `entry`, or `entry` without its C++ mangling.
  static bool names(const std::string& name, const std::string& entry);

  const ptx::Module& module() const { return *module_; }
  std::uint64_t identity() const { return identity_; }  ///< differs between programs of a process

 private:
  PtxProgram() = default;
  void decode(const ptx::Function& function);
  std::string path_;
  std::uint64_t identity_ = 0;
  std::vector<PtxKernel> kernels_;
  std::vector<PtxRefusal> refused_;
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
  /// All thread blocks run side by side and may wait for each other (cudaLaunchCooperativeKernel).
  bool cooperative = false;
  /// Thread blocks that run side by side and reach each other's shared memory; none: what the kernel was
  /// compiled for, or each by itself.
  std::optional<Dim3> cluster = {};
};

/// Memory with its initial contents, and the launches in program order.
struct PtxWorkload {
  GlobalMemory memory;
  std::vector<PtxLaunch> launches;
  /// What the host does after the last launch; may be empty.
  std::function<void(GlobalMemory&)> after = {};
  std::string name = "PTX";
};

}  // namespace strata::traces
