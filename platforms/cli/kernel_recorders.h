#pragma once

#include <string>
#include <vector>

#include "platforms/report/kernel_figures.h"
#include "platforms/session/session.h"

namespace strata::cli {

/// One an application. The session of these options tells them of the ends of kernels. Throws ConfigError
/// when there are no kernels; `option`: the one that asks for them.
platforms::KernelRecorders kernel_recorders(const platforms::Platform& platform,
                                            const std::vector<platforms::ApplicationRun>& runs,
                                            const std::string& option, platforms::SessionOptions& session);

}  // namespace strata::cli
