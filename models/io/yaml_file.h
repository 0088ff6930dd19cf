#pragma once

#include <cstdint>
#include <string>
#include <vector>
#include <yaml-cpp/yaml.h>

namespace strata {

constexpr std::uint64_t most_yaml_bytes = std::uint64_t{16} << 20;

/// The documents of a YAML text that is safe to walk: not nested deeper than 64, at most a million values
/// where each alias counts as all that it stands for, at most a hundred documents, and no value that holds
/// itself. Throws YAML::ParserException.
std::vector<YAML::Node> load_yaml(const std::string& text);

}  // namespace strata
