#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace strata {

using Address = std::uint64_t;  ///< byte address
using Cycle = std::uint64_t;    ///< integer cycle number of one clock domain

constexpr Cycle never = ~Cycle{0};
constexpr unsigned word_bytes = 4;     ///< granularity of what lanes ask for, where that is counted
constexpr unsigned part_bytes = 8;     ///< granularity of part masks: sectors of caches below 32 B
constexpr unsigned sector_bytes = 32;  ///< granularity of sector masks and of data on the NoC

/// A size in bytes. Text form: `48 KiB`, `64KB` (binary: 65536), `6 MB`, `128`, `128 B`.
struct Bytes {
  std::uint64_t count = 0;
  constexpr Bytes() = default;
  constexpr explicit Bytes(std::uint64_t bytes) : count(bytes) {}
  constexpr operator std::uint64_t() const { return count; }
};

constexpr std::uint64_t KiB = 1024;
constexpr std::uint64_t MiB = 1024 * KiB;
constexpr std::uint64_t GiB = 1024 * MiB;

/// A frequency in hertz. Text form: `1400 MHz`, `1.4 GHz`.
struct Hertz {
  std::uint64_t count = 0;
  constexpr Hertz() = default;
  constexpr explicit Hertz(std::uint64_t hertz) : count(hertz) {}
};

/// Parse a size; empty when the text is not a number followed by an optional B, KB, KiB, MB, MiB, GB or GiB
/// (all binary), or when it is negative or overflows.
std::optional<Bytes> parse_bytes(std::string_view text);

/// Parse a frequency; the unit (Hz, kHz, MHz, GHz) is mandatory and the result must be a whole number of
/// hertz.
std::optional<Hertz> parse_hertz(std::string_view text);

/// Parse a whole decimal or 0x-hexadecimal number; empty on anything else, including overflow.
std::optional<std::int64_t> parse_integer(std::string_view text);

/// Parse a decimal fraction; empty on anything else (nan and inf included).
std::optional<double> parse_real(std::string_view text);

std::string to_text(Bytes size);       ///< `48 KiB`; exact, so that parsing it gives the same size
std::string to_text(Hertz frequency);  ///< `1400 MHz`; exact

}  // namespace strata
