#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "traces/record/dictionary.h"
#include "traces/source.h"

namespace strata::traces::record {

/// Instructions of one CTA that a frame may hold: 2.7 GB in memory.
constexpr std::uint64_t max_cta_instructions = std::uint64_t{1} << 26;

/// One CTA to a zstd frame and back. Encoding adds to the dictionary; a frame can be decoded with the
/// dictionary as it was then or grew since. Throws FormatFault when the CTA is too large for a frame.
std::string encode_cta(std::uint32_t kernel, const CtaTrace& cta, Dictionary& dictionary, int level);

/// Throws FormatFault; also when the frame holds another CTA than asked for.
std::shared_ptr<CtaTrace> decode_cta(std::string_view frame, std::uint32_t kernel, std::uint64_t cta,
                                     const Dictionary& dictionary);

}  // namespace strata::traces::record
