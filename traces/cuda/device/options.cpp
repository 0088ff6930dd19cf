#include "traces/cuda/device/options.h"

#include <cstdlib>
#include <map>
#include <sstream>

namespace strata::cuda {

using traces::PtxOptions;

std::string AppOptions::to_text() const {
  std::string text = device.to_text();
  const auto put = [&](const char* key, const std::string& value) {
    text += std::string(key) + "=" + value + "\n";
  };
  put("channel", std::to_string(channel));
  put("dictionary", std::to_string(dictionary));
  put("record", record ? "1" : "0");
  put("kernels", kernels);
  put("first_launch", std::to_string(first_launch));
  put("last_launch", std::to_string(last_launch));
  put("max_instructions", std::to_string(max_instructions));
  put("ptx_folder", ptx_folder);
  put("hoist", ptx.hoist_loads ? std::to_string(ptx.loads_in_flight) : "0");
  put("memcheck", std::to_string(static_cast<int>(ptx.memcheck)));
  if (ptx.max_instructions) put("launch_instructions", std::to_string(*ptx.max_instructions));
  if (ptx.max_bytes) put("launch_memory", std::to_string(*ptx.max_bytes));
  if (ptx.read_only) put("read_only", std::to_string(static_cast<int>(*ptx.read_only)));
  return text;
}

AppOptions AppOptions::from_text(const std::string& text) {
  std::map<std::string, std::string> values;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t equals = line.find('=');
    if (equals != std::string::npos) values[line.substr(0, equals)] = line.substr(equals + 1);
  }
  const auto number = [&](const char* key, std::uint64_t standard) {
    const auto found = values.find(key);
    return found == values.end() ? standard : std::strtoull(found->second.c_str(), nullptr, 10);
  };
  AppOptions options;
  options.device = DeviceDescription::from_text(text);
  options.channel = values.count("channel") != 0 ? std::atoi(values["channel"].c_str()) : -1;
  options.dictionary = values.count("dictionary") != 0 ? std::atoi(values["dictionary"].c_str()) : -1;
  options.record = number("record", 0) != 0;
  options.kernels = values["kernels"];
  options.first_launch = number("first_launch", 0);
  options.last_launch = number("last_launch", UINT64_MAX);
  options.max_instructions = number("max_instructions", 0);
  options.ptx_folder = values["ptx_folder"];
  const std::uint64_t loads = number("hoist", 8);
  options.ptx.hoist_loads = loads != 0;
  if (loads != 0) options.ptx.loads_in_flight = static_cast<int>(loads);
  options.ptx.memcheck = static_cast<PtxOptions::Memcheck>(number("memcheck", 0));
  if (values.count("launch_instructions") != 0)
    options.ptx.max_instructions = number("launch_instructions", 0);
  if (values.count("launch_memory") != 0) options.ptx.max_bytes = number("launch_memory", 0);
  if (values.count("read_only") != 0)
    options.ptx.read_only = static_cast<PtxOptions::ReadOnly>(number("read_only", 0));
  return options;
}

}  // namespace strata::cuda
