#pragma once

#include "models/common/stats.h"

namespace strata::tb {

/// Of test blocks that count nothing.
struct NoStats final : StatSet {
  void for_each_stat(StatVisitor&) const override {}
};

}  // namespace strata::tb
