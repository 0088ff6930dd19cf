#pragma once

#include <string>
#include <vector>

namespace strata::platforms {

/// Where data files of a kind ("timing_sets", "address_maps") are looked for: in a folder of that name beside
/// the netlist, then beside the netlist's folder, then among the files that Strata comes with.
std::vector<std::string> data_folders(const std::string& kind, const std::string& netlist_file);

/// The file of a platform given by path (`mine/gpu.yaml`) or by name (`tiny`, `isca19/shared`): the path
/// itself when there is such a file, else the netlist of that name that Strata comes with, else the text
/// unchanged.
std::string find_platform(const std::string& name);

/// Names that find_platform() knows: "tiny", "isca19/shared", ...
std::vector<std::string> platform_names();

/// Names of the small files that change such a platform: "isca19/variants/hynix", ...
std::vector<std::string> variant_names();

}  // namespace strata::platforms
