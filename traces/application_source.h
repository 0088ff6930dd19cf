#pragma once

#include <memory>

#include "models/common/instruction_source.h"

namespace strata::traces {

/// First byte of the address space of an application. Traces of real machines have addresses of 47 bits, so
/// 2^48 keeps any two applications apart; the smaller term makes equal addresses of two applications differ
/// within the bits that address maps mix (D: where a driver would put a second program is not known).
constexpr Address application_base(std::uint32_t application) {
  return application * ((Address{1} << 48) + (Address{1} << 34));
}
/// Addresses of a program must lie below this one.
constexpr Address application_end = Address{1} << 48;

/// The stream of `program` as application `application` of several: its kernels say so, and its addresses in
/// device memory move to its own address space. Shared memory is the SM's and stays. Application 0 is
/// unchanged. `program` must outlive the source. Throws TraceError for an address beyond application_end.
std::unique_ptr<InstructionSource> make_application(InstructionSource& program, std::uint32_t application);

}  // namespace strata::traces
