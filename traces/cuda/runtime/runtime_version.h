#pragma once

namespace strata::cuda {

/// Major version of the runtime library whose name this library bears.
extern const int runtime_major;

}  // namespace strata::cuda
