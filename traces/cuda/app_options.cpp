#include "traces/cuda/app_options.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>

namespace strata::cuda {
namespace {

struct Attribute {
  int number, value;
};

// Values that all devices of the table share: limits of CUDA (C++ Programming Guide, "Technical
// Specifications"), sizes of textures and surfaces, and supported features. Numbers: cudaDeviceAttr.
constexpr Attribute common[] = {
    {1, 1024},   {2, 1024},   {3, 1024},   {4, 64},          {5, 2147483647}, {6, 65535},  {7, 65535},
    {8, 49152},  {9, 65536},  {10, 32},    {11, 2147483647}, {14, 512},       {15, 1},     {17, 0},
    {18, 0},     {19, 1},     {20, 0},     {21, 131072},     {22, 131072},    {23, 65536}, {24, 16384},
    {25, 16384}, {26, 16384}, {27, 32768}, {28, 32768},      {29, 2048},      {30, 512},   {31, 1},
    {32, 0},     {33, 0},     {34, 1},     {35, 0},          {41, 1},         {42, 32768}, {43, 2048},
    {45, 32768}, {46, 32768}, {47, 8192},  {48, 8192},       {49, 32768},     {50, 0},     {51, 32},
    {52, 32768}, {53, 32768}, {54, 2046},  {55, 32768},      {56, 131072},    {57, 65536}, {58, 16384},
    {59, 16384}, {60, 16384}, {61, 32768}, {62, 2048},       {63, 32768},     {64, 32768}, {65, 2048},
    {66, 32768}, {67, 32768}, {68, 2046},  {69, 268435456},  {70, 131072},    {71, 65000}, {72, 2097120},
    {73, 32768}, {74, 32768}, {77, 32768}, {78, 1},          {79, 1},         {80, 1},     {83, 1},
    {84, 0},     {85, 0},     {86, 0},     {87, 2},          {88, 0},         {89, 1},     {90, 0},
    {91, 0},     {92, 1},     {93, 1},     {94, 1},          {95, 1},         {96, 0},     {98, 0},
    {99, 1},     {100, 0},    {101, 0},    {102, 1},         {103, 0},        {104, 0},    {105, 0},
    {110, 0},    {112, 0},    {113, 0},    {114, 0},         {115, 1},        {116, 0},    {117, 0},
    {118, 0},    {119, 0},    {121, 0},    {122, 1},         {123, 1},        {124, 0},    {125, 0},
    {126, 1},    {128, 0},    {129, 0},    {130, 0},         {131, -1},       {132, 0},    {133, 0},
    {134, -1},   {135, 0},    {138, 0},    {139, 0},         {140, 0},        {141, 0},    {142, 0},
    {143, 0},    {144, 0},    {145, 0},    {147, 0},
};

struct OfDevice {
  int number;
  int DeviceDescription::*member;
};
using D = DeviceDescription;
constexpr OfDevice of_device[] = {
    {12, &D::registers_per_sm}, {13, &D::clock_khz},        {16, &D::sms},
    {36, &D::memory_clock_khz}, {37, &D::bus_bits},         {38, &D::l2_bytes},
    {39, &D::threads_per_sm},   {40, &D::copy_engines},     {81, &D::shared_per_sm},
    {82, &D::registers_per_sm}, {97, &D::shared_per_block}, {106, &D::blocks_per_sm},
    {111, &D::reserved_shared}};

std::uint64_t round_up(std::uint64_t value, std::uint64_t step) {
  return (value + step - 1) / step * step;
}

}  // namespace

const std::vector<DeviceDescription::Field>& DeviceDescription::fields() {
  static const std::vector<Field> all = {
      {"capability", &D::capability},
      {"sms", &D::sms},
      {"clock_khz", &D::clock_khz},
      {"memory_clock_khz", &D::memory_clock_khz},
      {"bus_bits", &D::bus_bits},
      {"l2_bytes", &D::l2_bytes},
      {"threads_per_sm", &D::threads_per_sm},
      {"blocks_per_sm", &D::blocks_per_sm},
      {"registers_per_sm", &D::registers_per_sm},
      {"shared_per_sm", &D::shared_per_sm},
      {"shared_per_block", &D::shared_per_block},
      {"reserved_shared", &D::reserved_shared},
      {"copy_engines", &D::copy_engines},
  };
  return all;
}

std::string DeviceDescription::to_text() const {
  std::string text = "name=" + name + "\nmemory=" + std::to_string(memory) + "\n";
  for (const Field& field : fields())
    text += std::string(field.name) + "=" + std::to_string(this->*field.member) + "\n";
  return text;
}

DeviceDescription DeviceDescription::from_text(const std::string& text) {
  DeviceDescription device;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos) continue;
    const std::string key = line.substr(0, equals), value = line.substr(equals + 1);
    if (key == "name") device.name = value;
    if (key == "memory") device.memory = std::strtoull(value.c_str(), nullptr, 10);
    for (const Field& field : fields())
      if (key == field.name) device.*field.member = std::atoi(value.c_str());
  }
  return device;
}

bool DeviceDescription::attribute(int number, int& value) const {
  if (number == 75 || number == 76) {
    value = number == 75 ? capability / 10 : capability % 10;
    return true;
  }
  // Since A100: persisting lines in up to three quarters of the L2, and access policy windows (NVIDIA A100
  // architecture whitepaper; the limit of a window is that of an A100 and an H100). Since H100: clusters and
  // tensor maps.
  const bool persists = capability >= 80;
  switch (number) {
    case 108:
      value = persists ? l2_bytes / 4 * 3 : 0;
      return true;
    case 109:
      value = persists ? 134213632 : 0;
      return true;
    case 120:
    case 127:
      value = capability >= 90 ? 1 : 0;
      return true;
    default:
      break;
  }
  if (number == 107) {  // compressible memory: since A100 (NVIDIA A100 architecture whitepaper)
    value = capability >= 80 ? 1 : 0;
    return true;
  }
  for (const OfDevice& one : of_device)
    if (one.number == number) {
      value = this->*one.member;
      return true;
    }
  for (const Attribute& one : common)
    if (one.number == number) {
      value = one.value;
      return true;
    }
  return false;
}

// Registers are allocated to warps in units of 256, shared memory to blocks in units of 128 B (CUDA occupancy
// calculator).
int DeviceDescription::resident_blocks(std::uint32_t threads, std::uint32_t registers,
                                       std::uint64_t shared_bytes) const {
  if (threads == 0 || threads > 1024) return 0;
  const std::uint64_t warps = (threads + 31) / 32;
  const std::uint64_t by_threads = static_cast<std::uint64_t>(threads_per_sm) / 32 / warps;
  const std::uint64_t of_block = warps * round_up(std::uint64_t{registers} * 32, 256);
  const std::uint64_t by_registers =
      of_block == 0 ? by_threads : static_cast<std::uint64_t>(registers_per_sm) / of_block;
  const std::uint64_t shared = round_up(shared_bytes + static_cast<std::uint64_t>(reserved_shared), 128);
  const std::uint64_t by_shared = shared_bytes > static_cast<std::uint64_t>(shared_per_block)
                                      ? 0
                                      : static_cast<std::uint64_t>(shared_per_sm) / shared;
  return static_cast<int>(
      std::min({by_threads, by_registers, by_shared, static_cast<std::uint64_t>(blocks_per_sm)}));
}

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
