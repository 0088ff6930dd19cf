#pragma once

#include <systemc>

#include "models/common/access.h"
#include "models/common/reply_stage.h"

namespace strata {

/// The question that routers put to the LLC's organization through their control port.
class OrganizationPortIf : public virtual sc_core::sc_interface {
 public:
  /// LLC slice (channel * slices per channel + slice) that serves this access. Asked once per request, by the
  /// first router stage that it meets.
  virtual int slice_for(const Access& access) = 0;
  /// The same for a debug access: nothing is counted or learned.
  virtual int slice_of(const Access& access) const = 0;
  /// A router stage that asks says what it is, before simulation starts.
  virtual void attach(const ReplyStage& /*stage*/) {}
};

}  // namespace strata
