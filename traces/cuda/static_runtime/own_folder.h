#pragma once

#include <cstddef>

namespace strata::cuda {

/// The folder of this library's file, with the slash at its end, and how long that is; 0: it cannot be told,
/// or is longer than `most`.
std::size_t own_folder(char* to, std::size_t most);

}  // namespace strata::cuda
