#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/common/instruction_source.h"

namespace strata {

/// What is not modelled of all kernels, a sentence for each reason: `12 fences: a warp does not ...`.
std::vector<std::string> gap_sentences(const std::vector<SourceGap>& gaps);
/// Sentences for bulk copies without a shape, and for orders without operands, in the source.
std::string unknown_copies_sentence(std::uint64_t copies);
std::string unknown_waits_sentence(std::uint64_t waits);

/// Counts of all kernels by reason, in the order of the reasons; `kernel` is 0.
std::vector<SourceGap> by_reason(const std::vector<SourceGap>& gaps);

}  // namespace strata
