#pragma once

#include <string>

namespace strata::tb {

/// Parse, decode, analyse and rewrite: true when the text is a PTX file that Strata takes. A message to the
/// user is no fault; a broken promise throws std::logic_error: the rewritten text must be taken too, and be
/// its own rewrite.
bool check_ptx(const std::string& text);

}  // namespace strata::tb
