#pragma once

#include <exception>

namespace strata::cuda {

/// Codes that the device model returns; the table of names has all codes.
enum Error : int {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  invalid_configuration = 9,
  invalid_symbol = 13,
  invalid_channel = 20,
  invalid_function = 98,
  invalid_device = 101,
  invalid_context = 201,
  no_code_for_device = 209,
  unsupported_limit = 215,
  invalid_ptx = 218,
  invalid_source = 300,
  file_not_found = 301,
  invalid_handle = 400,
  not_found = 500,
  not_ready = 600,
  illegal_address = 700,
  too_many_resources = 701,
  launch_timeout = 702,
  assertion = 710,
  host_memory_registered = 712,
  host_memory_not_registered = 713,
  stack_error = 714,
  misaligned_address = 716,
  launch_failure = 719,
  cooperative_too_large = 720,
  not_permitted = 800,
  not_supported = 801,
  capture_unsupported = 900,
  capture_invalid = 901,
  invalid_cluster = 912,
  unknown_error = 999,
};

/// Thrown inside the libraries; calls return the code.
class CallError : public std::exception {
 public:
  explicit CallError(Error error) : code(error) {}
  Error code;
};

const char* runtime_error_name(int code);
const char* error_text(int code);
/// Null if the driver has no such code.
const char* driver_error_name(int code);

}  // namespace strata::cuda
