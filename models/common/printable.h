#pragma once

#include <string>
#include <string_view>

namespace strata {

/// Text for a terminal: what came from a file or a command line may hold anything. Control characters and
/// bytes that are no UTF-8 become \xNN (line breaks stay), and of words and lines that nobody would read the
/// middle is left out, with a count of its bytes.
std::string printable(std::string_view text);

}  // namespace strata
