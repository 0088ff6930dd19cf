#include "traces/cuda/lz4_block.h"

namespace strata::cuda {
namespace {

constexpr std::size_t shortest_match = 4;

/// A length whose first four bits stand in a token: 15 goes on in bytes, of which 255 goes on again.
bool read_length(const std::uint8_t*& in, const std::uint8_t* end, std::size_t& length) {
  if (length != 15) return true;
  for (std::uint8_t more = 255; more == 255; length += more) {
    if (in == end) return false;
    more = *in++;
  }
  return true;
}

}  // namespace

bool lz4_decompress(const std::uint8_t* data, std::size_t bytes, std::string& out) {
  const std::uint8_t *in = data, *const end = data + bytes;
  std::size_t at = 0;
  while (in != end) {
    const std::uint8_t token = *in++;
    std::size_t literals = token >> 4, match = token & 15;
    if (!read_length(in, end, literals)) return false;
    if (literals > static_cast<std::size_t>(end - in) || literals > out.size() - at) return false;
    for (std::size_t i = 0; i < literals; ++i) out[at++] = static_cast<char>(*in++);
    if (in == end) break;  // the last sequence has no match
    if (end - in < 2) return false;
    const std::size_t distance = in[0] + std::size_t{256} * in[1];
    in += 2;
    if (!read_length(in, end, match)) return false;
    match += shortest_match;
    if (distance == 0 || distance > at || match > out.size() - at) return false;
    for (std::size_t i = 0; i < match; ++i, ++at) out[at] = out[at - distance];  // may reach into itself
  }
  return at == out.size();
}

}  // namespace strata::cuda
