#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "models/common/instruction_source.h"
#include "traces/ptx/global_memory.h"
#include "traces/ptx/ptx_program.h"

namespace strata::traces {

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
