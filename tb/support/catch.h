#pragma once

#include <string>

// Catch2 3 has split headers, Catch2 2 (Debian 12) one.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif

namespace strata::tb {

/// Matches a text that contains `part`, under the name that this version of Catch2 has for it.
inline auto has_text(const std::string& part) {
#if __has_include(<catch2/catch_all.hpp>)
  return Catch::Matchers::ContainsSubstring(part);
#else
  return Catch::Matchers::Contains(part);
#endif
}

}  // namespace strata::tb
