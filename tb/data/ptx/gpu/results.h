#pragma once

#include "cases.h"

namespace gpu_cases {

inline bool is_nan(char what, uint64_t bits) {
  if (what == 'h') return (bits & 0x7fff) > 0x7c00;
  if (what == 'b') return (bits & 0x7fff) > 0x7f80;
  if (what == 'f' || what == 't') return (bits & 0x7fffffff) > 0x7f800000;
  return what == 'd' && (bits << 1) > (uint64_t{0x7ff} << 53);
}

/// Results of all lanes with every NaN as one, as they are compared.
inline std::vector<uint32_t> settled(const Case& c, const std::vector<uint32_t>& results) {
  std::vector<uint32_t> all = results;
  for (std::size_t at = 0; at < all.size();)
    for (const char what : c.out) {
      if (width(what) == 64) {
        if (is_nan(what, uint64_t{all[at + 1]} << 32 | all[at])) all[at] = all[at + 1] = ~0U;
        at += 2;
        continue;
      }
      if (what == 'H' || what == 'B' || what == 'Y') {
        const char half = what == 'H' ? 'h' : 'b';
        for (const unsigned shift : {0U, 16U})
          if (is_nan(half, all[at] >> shift & 0xffff)) all[at] |= 0xffffU << shift;
      } else if (is_nan(what, all[at])) {
        all[at] = ~0U;
      }
      ++at;
    }
  return all;
}

/// Of the warps of each class.
inline std::vector<uint32_t> digests(const Case& c, const std::vector<uint32_t>& results) {
  std::vector<uint64_t> all(classes, 0);
  const std::vector<uint32_t> words = settled(c, results);
  const std::size_t a_warp = words.size() / warps;
  for (std::size_t n = 0; n < words.size(); ++n) {
    uint64_t& h = all[n / a_warp % classes];
    h = mix(h ^ words[n]);
  }
  return {all.begin(), all.end()};
}

/// As it stands in the file of digests.
inline std::string line(const Case& c, const std::vector<uint32_t>& results) {
  static const char hex[] = "0123456789abcdef";
  std::string text = c.name;
  for (const uint32_t part : digests(c, results)) {
    text += ' ';
    for (int shift = 28; shift >= 0; shift -= 4) text += hex[part >> shift & 15];
  }
  return text;
}

}  // namespace gpu_cases
