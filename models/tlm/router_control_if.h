#pragma once

#include <string>

#include <systemc>

#include "models/common/reply_stage.h"

namespace strata {

/// What the LLC's control may ask of a router stage.
class RouterControlIf : public virtual sc_core::sc_interface {
 public:
  /// Why the crossbar can never be bypassed; empty when it can.
  virtual std::string bypass_fault() const = 0;
  /// No packet is inside and every credit has come back.
  virtual bool is_drained() const = 0;
  virtual bool is_bypassed() const = 0;
  /// Gate the crossbar and lead input i straight to output i, or go back. Only while drained.
  virtual void set_bypass(bool on) = 0;
  /// What the stage is for replies; `routers` is 1.
  virtual ReplyStage reply_stage() const = 0;
};

}  // namespace strata
