#pragma once

#include <cstdint>
#include <string>

#include "traces/cuda/device_description.h"
#include "traces/ptx/ptx_options.h"

namespace strata::cuda {

/// How `strata app` wants an application to run: told through the environment.
struct AppOptions {
  int channel = -1;     ///< descriptor of the pipe
  int dictionary = -1;  ///< of a file with what the programs of this run have in the record's dictionary
  bool record = false;  ///< thread blocks are sent
  std::string kernels;  ///< regular expression: only launches of such kernels are recorded; empty: all
  std::uint64_t first_launch = 0, last_launch = UINT64_MAX;
  std::uint64_t max_instructions = 0;  ///< of threads, recorded; then the application is ended; 0: no limit
  std::string ptx_folder;              ///< where its PTX is written; empty: nowhere
  bool progress = false;
  traces::PtxOptions ptx;
  DeviceDescription device;

  static constexpr const char* variable = "STRATA_APP";
  std::string to_text() const;
  /// Throws ConfigError.
  static AppOptions from_text(const std::string& text);
};

}  // namespace strata::cuda
