#pragma once

#include <string>

namespace strata::cuda::blas {

/// PTX for f32 or f64 out of a text that leaves the type open: `{T}` is it, `{B}` its bytes, `{0}` its zero,
/// `{NAME}` the entry. A head of the module is put before it.
std::string text_for(bool wide, const std::string& name, std::string text);

}  // namespace strata::cuda::blas
