#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traces/ptx/ptx_options.h"

namespace strata::cuda {

/// Properties of the device that programs can query. They affect the programs, not the simulation.
struct DeviceDescription {
  std::string name = "Strata";
  std::uint64_t memory = std::uint64_t{16} << 30;  ///< bytes
  int capability = 80;                             ///< 10 * major + minor
  int sms = 108;
  int clock_khz = 1410000, memory_clock_khz = 1215000, bus_bits = 5120;
  int l2_bytes = 40 << 20;
  int threads_per_sm = 2048, blocks_per_sm = 32, registers_per_sm = 65536;
  int shared_per_sm = 164 << 10;     ///< bytes
  int shared_per_block = 163 << 10;  ///< limit with opt-in; 48 KiB without
  int reserved_shared = 1024;        ///< bytes of each block's shared memory that the system takes
  int copy_engines = 3;

  struct Field {
    const char* name;
    int DeviceDescription::*member;
  };
  static const std::vector<Field>& fields();

  /// `key=value` lines, and back; missing keys keep their defaults.
  std::string to_text() const;
  static DeviceDescription from_text(const std::string& text);

  /// Attributes by number; the runtime and the driver share them (cudaDeviceAttr, CUdevice_attribute). False:
  /// no such attribute.
  bool attribute(int number, int& value) const;
  /// Blocks of a kernel that an SM holds at once.
  int resident_blocks(std::uint32_t threads, std::uint32_t registers, std::uint64_t shared_bytes) const;
};

/// Options of `strata app` for an application, passed in the environment.
struct AppOptions {
  int channel = -1;     ///< descriptor of the pipe
  int dictionary = -1;  ///< file with the dictionary entries of the run's programs
  bool record = false;  ///< thread blocks are sent
  std::string kernels;  ///< regular expression: only launches of such kernels are recorded; empty: all
  std::uint64_t first_launch = 0, last_launch = UINT64_MAX;
  std::uint64_t max_instructions =
      0;  ///< limit of recorded thread instructions, at which the application is ended; 0: none
  std::string ptx_folder;  ///< folder for the application's PTX; empty: none
  bool progress = false;
  traces::PtxOptions ptx;
  DeviceDescription device;

  static constexpr const char* variable = "STRATA_APP";
  std::string to_text() const;
  /// Throws ConfigError.
  static AppOptions from_text(const std::string& text);
};

}  // namespace strata::cuda
