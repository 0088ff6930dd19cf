#pragma once

/// Targets of redirected calls of a static runtime library: an entry for each call of each of Strata's
/// runtime libraries. An entry looks its call up on first use, when the program has loaded everything that
/// Strata's library needs.
namespace strata::cuda {

constexpr unsigned calls_of_a_version = 1024, first_version = 11, versions = 3;
constexpr unsigned entries = calls_of_a_version * versions;

/// The code of entry `number`.
const void* entry(unsigned number);
/// The call for entry `number`; never nullptr.
void* find_call(unsigned number);

}  // namespace strata::cuda
