#pragma once

#include <vector>

#include "models/common/reply_stage.h"

namespace strata {

/// Most replies per network cycle that a chain of router stages, from the slices to the SMs, delivers to the
/// whole GPU when every slice always has one for a random SM. Derived from the stages alone; see
/// docs/blocks/llc-predictors.md for the derivation. A bypassed stage is left out of the chain. An empty
/// chain has no ceiling (infinity).
double response_ceiling(const std::vector<ReplyStage>& slices_to_sms);

/// The stage next to the slices when the LLC keeps `degree` copies: the slices of a group of clusters answer
/// that group alone, so that the routers act as `degree` independent smaller ones. With as many copies as
/// clusters each slice answers one cluster, as if the stage were bypassed but for its pipeline.
ReplyStage with_copies(ReplyStage stage, int degree);

}  // namespace strata
