#pragma once

#include <memory>
#include <string>

#include "traces/ptx/ptx.h"

namespace strata::tb {

/// Parse, decode, analyse and rewrite: true when the text is a PTX file that Strata takes. A message to the
/// user is no fault; a broken promise throws std::logic_error: the rewritten text must be taken too, and be
/// its own rewrite.
bool check_ptx(const std::string& text);

/// Run every kernel once with small buffers, with the loads that are proved marked. Faults of the kernels are
/// TraceError.
void run_ptx(const std::shared_ptr<const traces::PtxProgram>& program);

}  // namespace strata::tb
