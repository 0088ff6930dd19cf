#pragma once

#include <cstdint>

#include <systemc>

#include "models/common/access.h"

namespace strata {

/// Receives the answer to KernelBoundaryIf::kernel_ended. The CTA dispatcher implements it.
class KernelBoundaryDoneIf {
 public:
  virtual ~KernelBoundaryDoneIf() = default;
  /// The work of the boundary is over in core cycle `at` (now or later); called exactly once per
  /// kernel_ended.
  virtual void kernel_boundary_done(Cycle at) = 0;
};

/// What a block that works at kernel boundaries may ask of the SMs. The CTA dispatcher implements it.
class SmStallIf {
 public:
  virtual ~SmStallIf() = default;
  /// Applications that run side by side.
  virtual int application_count() const { return 1; }
  /// Every cluster can stall.
  virtual bool can_stall() const = 0;
  virtual int cluster_count() const = 0;
  virtual int sm_count() const = 0;
  /// Thread instructions that the SMs of an application have issued so far; 0 = not counted.
  virtual std::uint64_t instructions(int /*application*/) const { return 0; }
  /// Stops the SMs of these applications; KernelBoundaryIf::sms_quiesced() follows when none of their
  /// accesses is in flight.
  virtual void stall_sms(ApplicationSet who) = 0;
  virtual void resume_sms(ApplicationSet who) = 0;
};

/// A block with work between two kernels, e.g. the flush of a private LLC, or one that follows them. Kernels
/// of an application that run side by side count as one kernel: it begins with the first and ends with the
/// last.
class KernelBoundaryIf : public virtual sc_core::sc_interface {
 public:
  /// Before simulation starts.
  virtual void connect(SmStallIf& /*sms*/) {}
  /// The first CTA of a kernel of `application` can start in core cycle `now`.
  virtual void kernel_began(std::uint32_t /*application*/, Cycle /*now*/) {}
  /// The dispatcher calls it when all CTAs of the kernel are done, all its stores are acknowledged and the
  /// L1s of its SMs are flushed; the application's next kernel starts, and the last one ends, only after the
  /// answer. `now`: core cycle. The answer may come during this call.
  virtual void kernel_ended(std::uint32_t application, KernelBoundaryDoneIf& done, Cycle now) = 0;
  /// Whether a kernel of the application may not begin, now, beside others that run before kernel_ended() is
  /// called for a kernel that has ended beside them.
  virtual bool separates_kernels(std::uint32_t /*application*/) const { return false; }
  /// Whether atomics_found() is to be called.
  virtual bool wants_atomics() const { return false; }
  /// A CTA with global atomics is about to start, for the first time in this kernel.
  virtual void atomics_found(std::uint32_t /*application*/, Cycle /*now*/) {}
  /// Answers SmStallIf::stall_sms().
  virtual void sms_quiesced(Cycle /*now*/) {}
};

}  // namespace strata
