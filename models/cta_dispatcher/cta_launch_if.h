#pragma once

#include <memory>
#include <string>
#include <vector>

#include <systemc>

#include "models/common/instruction_source.h"

namespace strata {

/// Calls of an SM cluster to the dispatcher. `now` is the core cycle in which it happens, whatever the clock
/// of the cluster; the dispatcher acts on it in the next core cycle.
class CtaDoneIf {
 public:
  virtual ~CtaDoneIf() = default;
  /// A CTA of `kernel` left SM `sm` of cluster `cluster`; its resources are free.
  virtual void cta_done(int cluster, int sm, std::uint32_t kernel, Cycle now) = 0;
  /// The last outstanding access of an application without resident CTAs in a cluster was answered; after
  /// count_kernels() also that of a kernel.
  virtual void drained(int cluster, int application, Cycle now) = 0;
  /// All L1s of the application's SMs in the cluster have dropped their lines.
  virtual void flush_done(int cluster, int application, Cycle now) = 0;
  /// The application's SMs in the cluster are stalled and none of their accesses is in flight; once per
  /// stall().
  virtual void quiesced(int cluster, int application, Cycle now) = 0;
};

/// Control port of an SM cluster, called by the CTA dispatcher.
class CtaLaunchIf : public virtual sc_core::sc_interface {
 public:
  /// Sets the listener and the number that it gets with each call. Once, before simulation starts.
  virtual void connect(CtaDoneIf& dispatcher, int cluster) = 0;
  virtual int sms() const = 0;
  /// Before simulation starts: which application each SM runs; the applications of a platform are numbered
  /// from 0. Without this call all SMs run application 0.
  virtual void assign(const std::vector<int>& application_of_sm) = 0;
  /// CTAs of the kernel that SM `sm` can take now, beside those it holds.
  virtual int room(int sm, const KernelInfo& kernel) const = 0;
  /// CTAs of the kernel that an empty SM takes; when 0, `limiter` names the resource that is too small.
  virtual int occupancy(const KernelInfo& kernel, std::string* limiter) const = 0;
  /// Start a CTA; its warps issue from the next cycle on. Only when room() > 0. `kernel` must outlive the
  /// CTA.
  virtual void launch(int sm, const KernelInfo& kernel, std::shared_ptr<const CtaTrace> cta) = 0;
  /// No CTA of the application is resident and none of its accesses is outstanding.
  virtual bool is_drained(int application) const = 0;
  /// Before simulation starts: kernels of the application may run side by side, and kernel_drained() will be
  /// asked.
  virtual void count_kernels(int /*application*/) {}
  /// No access of the kernel, of which no CTA is resident, is outstanding.
  virtual bool kernel_drained(int application, std::uint32_t /*kernel*/) const {
    return is_drained(application);
  }
  /// Drops the lines that L1s keep for the application's SMs; flush_done() follows. Call it again only after
  /// that.
  virtual void flush(int application) = 0;
  /// Thread instructions that the application's SMs have issued so far; 0 = not counted.
  virtual std::uint64_t instructions(int /*application*/) const { return 0; }
  /// Whether the SMs can stop between two cycles.
  virtual bool can_stall() const { return false; }
  /// From the next cycle on the application's SMs issue nothing and send no line access; answers are taken,
  /// and quiesced() follows when the last has come.
  virtual void stall(int /*application*/) {}
  /// Ends stall(): the SMs go on in the next cycle.
  virtual void resume(int /*application*/) {}
};

}  // namespace strata
