#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "models/cache/replacement.h"
#include "models/l1/chunk_mshrs.h"

namespace strata {

/// Which chunk of which line each way of each set has, searched sixteen ways at a time.
class ChunkPlaces {
 public:
  struct Found {
    ChunkMask chunks = 0;
    WayMask ways = 0;
  };

  ChunkPlaces(std::uint64_t sets, int ways)
      : length_(static_cast<std::size_t>(ways + together - 1) / together * together),
        low_(sets * length_, nothing),
        high_(sets * length_, nothing),
        chunks_(sets * length_) {}

  /// Those of a line's chunks that are there.
  [[gnu::always_inline]] Found find(std::uint32_t set, std::uint64_t number, ChunkMask asked) const {
#if defined(__SSE2__)
    return find_by_vectors(set, number, asked);
#else
    return find_one_by_one(set, number, asked);
#endif
  }
  /// The same without vectors.
  Found find_one_by_one(std::uint32_t set, std::uint64_t number, ChunkMask asked) const {
    Found found;
    for (std::size_t way = 0; way < length_; ++way) {
      const std::size_t place = at(set) + way;
      if (low_[place] != low(number) || high_[place] != high(number) || (chunks_[place] & asked) == 0)
        continue;
      found.chunks |= chunks_[place];
      found.ways |= WayMask{1} << way;
    }
    return found;
  }
  std::uint64_t number(std::uint32_t set, int way) const {
    const std::size_t place = at(set) + static_cast<std::size_t>(way);
    return std::uint64_t{high_[place]} << 32 | low_[place];
  }
  /// Of a set, by way: the chunk as a mask of one.
  const ChunkMask* chunks(std::uint32_t set) const {
    return &chunks_[at(set)];
  }

  /// What the ways of a set have is written here.
  class Row {
   public:
    void put(int way, std::uint64_t number, ChunkMask chunk) {
      low_[way] = low(number);
      high_[way] = high(number);
      chunks_[way] = chunk;
    }
    void empty(int way) { put(way, ~std::uint64_t{0}, 0); }

   private:
    friend class ChunkPlaces;
    Row(std::uint32_t* low, std::uint32_t* high, ChunkMask* chunks)
        : low_(low), high_(high), chunks_(chunks) {}
    std::uint32_t* low_;
    std::uint32_t* high_;
    ChunkMask* chunks_;
  };
  Row row(std::uint32_t set) {
    return {&low_[at(set)], &high_[at(set)], &chunks_[at(set)]};
  }
  void clear() {
    low_.assign(low_.size(), nothing);
    high_.assign(high_.size(), nothing);
    chunks_.assign(chunks_.size(), 0);
  }

 private:
  static constexpr std::size_t together = 16;
  static constexpr std::uint32_t nothing = ~std::uint32_t{0};
  static std::uint32_t low(std::uint64_t number) {
    return static_cast<std::uint32_t>(number);
  }
  static std::uint32_t high(std::uint64_t number) {
    return static_cast<std::uint32_t>(number >> 32);
  }
  std::size_t at(std::uint32_t set) const {
    return set * length_;
  }

#if defined(__SSE2__)
  static_assert(__STDCPP_DEFAULT_NEW_ALIGNMENT__ >= 16, "vectors are loaded from what std::vector allocates");
  template <class Word>
  static __m128i load(const Word* words) {
    return _mm_load_si128(reinterpret_cast<const __m128i*>(words));
  }
  /// A byte for each of sixteen words: all ones where it is the wanted one.
  static __m128i equal(const std::uint32_t* words, __m128i wanted) {
    const auto four = [&](int first) { return _mm_cmpeq_epi32(load(words + first), wanted); };
    return _mm_packs_epi16(_mm_packs_epi32(four(0), four(4)), _mm_packs_epi32(four(8), four(12)));
  }
  [[gnu::always_inline]] Found find_by_vectors(std::uint32_t set, std::uint64_t number,
                                               ChunkMask asked) const {
    Found found;
    const __m128i wanted_low = _mm_set1_epi32(static_cast<int>(low(number)));
    std::size_t place = at(set);
    const std::size_t end = place + length_;
    do {
      const __m128i alike = equal(&low_[place], wanted_low);
      if (_mm_movemask_epi8(alike) == 0) continue;
      const __m128i same =
          _mm_and_si128(alike, equal(&high_[place], _mm_set1_epi32(static_cast<int>(high(number)))));
      const __m128i wanted = _mm_set1_epi16(static_cast<short>(asked));
      const auto held = [&](int eight, __m128i those) {
        return _mm_and_si128(_mm_and_si128(load(&chunks_[place] + eight), wanted), those);
      };
      const __m128i lower = held(0, _mm_unpacklo_epi8(same, same)),
                    upper = held(8, _mm_unpackhi_epi8(same, same));
      const __m128i zero = _mm_setzero_si128();
      const __m128i not_here = _mm_packs_epi16(_mm_cmpeq_epi16(lower, zero), _mm_cmpeq_epi16(upper, zero));
      found.ways |= WayMask{0xffff ^ static_cast<unsigned>(_mm_movemask_epi8(not_here))}
                    << (length_ - (end - place));
      __m128i all = _mm_or_si128(lower, upper);
      all = _mm_or_si128(all, _mm_shuffle_epi32(all, 0x4e));
      all = _mm_or_si128(all, _mm_shuffle_epi32(all, 0xb1));
      const auto two = static_cast<std::uint32_t>(_mm_cvtsi128_si32(all));
      found.chunks |= static_cast<ChunkMask>(two | two >> 16);
    } while ((place += together) != end);
    return found;
  }
#endif

  std::size_t length_;                     // of a set
  std::vector<std::uint32_t> low_, high_;  // half of the line's number each
  std::vector<ChunkMask> chunks_;
};

}  // namespace strata
