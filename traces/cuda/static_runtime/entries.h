#pragma once

/// Where calls of a static runtime library are sent: an entry for each call of each of our runtime libraries,
/// which finds the call when it is made for the first time. Only then has the program what a library of ours
/// needs to be loaded.
namespace strata::cuda {

constexpr unsigned calls_of_a_version = 1024, first_version = 11, versions = 3;
constexpr unsigned entries = calls_of_a_version * versions;

/// The code of entry `number`.
const void* entry(unsigned number);
/// The call for entry `number`; never nullptr.
void* find_call(unsigned number);

}  // namespace strata::cuda
