#pragma once

#include <memory>

#include "models/common/instruction_source.h"

namespace strata::traces {

/// First byte of the address space of an application. Traces of real machines have addresses of 47 bits, so
/// 2^48 separates all applications; the smaller term makes equal addresses of two applications differ in the
/// bits that address maps mix (D: where a driver would place a second program is not known).
constexpr Address application_base(std::uint32_t application) {
  return application * ((Address{1} << 48) + (Address{1} << 34));
}
/// Addresses of a program must be below this one.
constexpr Address application_end = Address{1} << 48;

/// The stream of `program` as application number `application`. Kernels get that number, and addresses in
/// device memory move to its address space; shared memory belongs to the SM and is unchanged. Application 0
/// is unchanged. `program` must outlive the source. Throws TraceError for an address beyond application_end.
std::unique_ptr<InstructionSource> make_application(InstructionSource& program, std::uint32_t application);

}  // namespace strata::traces
