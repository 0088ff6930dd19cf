#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traces/ptx/ptx.h"

/// Which data of a kernel nothing in it writes: `strata ptx analyse`, and what launches are checked against.
namespace strata::traces {

/// A pointer of a kernel: a parameter, a part of a structure, or a variable of the file.
struct PointerReport {
  std::string name;
  bool variable = false;
  bool read_only = false;
  std::string reason;        ///< why not, with file:line
  int line = 0;              ///< of what spoils it; 0 = nothing does
  std::uint32_t loads = 0;   ///< instructions that may load its data
  std::uint32_t proved = 0;  ///< of these: ld.global that are read-only loads and not marked in the file
  std::uint32_t non_coherent = 0;  ///< marked by the compiler: ld.global.nc
  std::uint32_t marked = 0;        ///< marked before by us: ld.global.ro
};

struct KernelReport {
  std::string name;
  int line = 0;
  std::vector<PointerReport> pointers;
  std::uint32_t unknown_loads = 0;  ///< from addresses that come from no pointer of the kernel
};

/// One report a kernel; `only` names kernels (all when empty). Throws TraceError with the nearest name.
std::vector<KernelReport> analyse_read_only(const PtxProgram& program,
                                            const std::vector<std::string>& only = {});

/// `text`, from which `program` was parsed, with `ld.global` turned into `ld.global.ro` where the load is
/// proved in every kernel of the file that contains it; nothing else changes. `only` restricts it to loads of
/// these kernels. `changed` counts the loads.
std::string rewrite_read_only(const PtxProgram& program, const std::string& text,
                              const std::vector<std::string>& only, std::uint32_t& changed);

}  // namespace strata::traces
