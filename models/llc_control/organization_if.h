#pragma once

#include <systemc>

#include "models/common/access.h"

namespace strata {

/// The question that routers put to the LLC's organization through their control port.
class OrganizationPortIf : public virtual sc_core::sc_interface {
 public:
  /// LLC slice (channel * slices per channel + slice) that serves this access. Asked once per request, by the
  /// first router stage that it meets.
  virtual int slice_for(Address line, int cluster, AccessClass access_class) = 0;
};

}  // namespace strata
