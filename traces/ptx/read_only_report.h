#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traces/ptx/ptx.h"

/// Read-only data of kernels: `strata ptx analyse`, and the check of launches.
namespace strata::traces {

/// A pointer of a kernel: a parameter, a part of a structure, or a variable of the file.
struct PointerReport {
  std::string name;
  bool variable = false;
  bool read_only = false;
  std::string reason;        ///< why it is not read-only, with file:line
  int line = 0;              ///< of the instruction that prevents it; 0 = none
  std::uint32_t loads = 0;   ///< instructions that may load its data
  std::uint32_t proved = 0;  ///< of these: ld.global that are proved read-only and not marked in the file
  std::uint32_t non_coherent = 0;  ///< marked by the compiler: ld.global.nc
  std::uint32_t marked = 0;        ///< marked by Strata: ld.global.ro
};

struct KernelReport {
  std::string name;
  int line = 0;
  std::vector<PointerReport> pointers;
  std::uint32_t unknown_loads = 0;  ///< from addresses that derive from no pointer of the kernel
};

/// One report per kernel; `only` names kernels (all if empty). Throws TraceError with the nearest name.
std::vector<KernelReport> analyse_read_only(const PtxProgram& program,
                                            const std::vector<std::string>& only = {});

/// `text`, the source of `program`, with `ld.global` changed to `ld.global.ro` where the load is proved in
/// every kernel that contains it. `only` restricts it to loads of these kernels. `changed` counts the loads.
std::string rewrite_read_only(const PtxProgram& program, const std::string& text,
                              const std::vector<std::string>& only, std::uint32_t& changed);

}  // namespace strata::traces
