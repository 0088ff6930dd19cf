#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace strata::tb {

/// What Accel-Sim's parser and its decoder ask of a trace, checked without any of Strata's readers: fields,
/// their order and number, opcodes of the binary version, address modes, every warp in its place, an EXIT of
/// each thread. Stricter than Accel-Sim where that would read something else than was meant, without a word.
struct AccelsimTraceReport {
  std::string fault;  ///< the first one, with file and line; empty: none
  std::uint64_t kernels = 0, copies = 0, blocks = 0, instructions = 0;
};

/// `list`: a kernelslist.g, beside which its plain kernel files lie.
AccelsimTraceReport check_accelsim_trace(const std::string& list);
/// One kernel file, given as text; `name` is for messages.
AccelsimTraceReport check_accelsim_kernel(const std::string& name, const std::string& text);

}  // namespace strata::tb
