#pragma once

#include <random>
#include <string>
#include <vector>

namespace strata::tb {

/// The words of a libFuzzer dictionary; none when there is no such file.
std::vector<std::string> dictionary(const std::string& path);

/// One to four small changes: a byte, a number, a piece cut out, doubled or moved, a word of the dictionary,
/// a piece of `other`.
std::string mutate(std::string text, const std::string& other, const std::vector<std::string>& words,
                   std::mt19937_64& random);

}  // namespace strata::tb
