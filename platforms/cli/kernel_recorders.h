#pragma once

#include <string>
#include <vector>

#include "platforms/engine/session/session.h"
#include "platforms/report/kernel_figures.h"

namespace strata::cli {

/// One recorder for each application. The session of these options reports the ends of kernels to them.
/// Throws ConfigError if there are no kernels; `option` is the option that asks for them.
platforms::KernelRecorders kernel_recorders(const platforms::Platform& platform,
                                            const std::vector<platforms::ApplicationRun>& runs,
                                            const std::string& option, platforms::SessionOptions& session);

}  // namespace strata::cli
