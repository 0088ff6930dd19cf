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

/// What a launch needs to know about a kernel.
struct PtxKernel {
  std::string name;
  int line = 0;  ///< in the PTX file
  std::vector<PtxParameter> parameters;
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t local_bytes = 0;  ///< per thread
  std::uint32_t registers = 0;    ///< estimated machine registers per thread: the most values live at once
  std::uint32_t instructions = 0;
  std::uint32_t max_threads = 1024;  ///< per CTA (`.maxntid`, `.reqntid`)
  /// CTAs of a cluster that the kernel was compiled for (`.reqnctapercluster`); none: the launch chooses.
  std::optional<Dim3> cluster;
  std::uint32_t max_cluster = 0;  ///< limit of CTAs of a cluster (`.maxclusterrank`); 0: none
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
  /// Reads the text of a file. Throws TraceError.
  static std::string read(const std::string& path);
  /// Reads a file and decodes its kernels. A kernel that cannot be interpreted is kept as refused: requesting
  /// it throws TraceError with file:line, opcode and kernel. `only` (names of kernels) restricts decoding to
  /// these, and throws if one of them is refused; without it, load() throws if all kernels are refused.
  static std::shared_ptr<const PtxProgram> load(const std::string& path,
                                                const std::vector<std::string>& only = {});
  /// Like load(), from text; `name` stands for the file in messages.
  static std::shared_ptr<const PtxProgram> parse(const std::string& text, const std::string& name,
                                                 const std::vector<std::string>& only = {});
  /// Parses text without decoding kernels; prepare() decodes them. Concatenated texts are one module, as a
  /// linker makes it: what one declares `.extern` another defines.
  static std::shared_ptr<PtxProgram> open(const std::string& text, const std::string& name);
  /// Decodes a kernel, by its full name, if that has not been done. Throws TraceError as `parse` does.
  const PtxKernel& prepare(const std::string& entry);
  ~PtxProgram();
  PtxProgram(const PtxProgram&) = delete;
  PtxProgram& operator=(const PtxProgram&) = delete;

  const std::string& path() const { return path_; }
  const std::vector<PtxKernel>& kernels() const { return kernels_; }
  /// Throws TraceError with the nearest name. A C++ kernel may be named without its mangling if that is
  /// unambiguous: `saxpy` finds `_Z5saxpyPfi`.
  const PtxKernel& kernel(const std::string& name) const;

  /// Kernels that cannot be interpreted; kernels() has the others.
  const std::vector<PtxRefusal>& refused() const { return refused_; }
  /// Names of all kernels of the file, including those that were not decoded.
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
  /// What the host does before this launch (clear a flag, swap data); may be empty.
  std::function<void(GlobalMemory&)> before = {};
  std::uint32_t application = 0;
  /// All thread blocks run at the same time and may wait for each other (cudaLaunchCooperativeKernel).
  bool cooperative = false;
  /// Thread blocks of a cluster: they run at the same time and access each other's shared memory. None: the
  /// size that the kernel was compiled for, or no clusters.
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
