#pragma once

#include <string>
#include <vector>

namespace strata::platforms {

/// Folders searched for data files of a kind ("timing_sets", "address_maps"): a folder of that name beside
/// the netlist, then beside the netlist's folder, then among the shipped files.
std::vector<std::string> data_folders(const std::string& kind, const std::string& netlist_file);

/// The file of a platform given by path (`mine/gpu.yaml`) or by name (`tiny`, `isca19/shared`): the path
/// itself if the file exists, else the shipped netlist of that name, else the unchanged text.
std::string find_platform(const std::string& name);

/// Names that find_platform() knows: "tiny", "isca19/shared", ...
std::vector<std::string> platform_names();

/// Names of the small shipped files that change such a platform: "isca19/variants/hynix", ...
std::vector<std::string> variant_names();

}  // namespace strata::platforms
