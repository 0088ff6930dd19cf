#include "models/common/units.h"

#include <array>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdlib>

namespace strata {
namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

/// Split "48 KiB" into a number and a unit.
struct Quantity {
  std::string_view number;
  std::string_view unit;
};

Quantity split(std::string_view text) {
  text = trim(text);
  std::size_t end = 0;
  while (end < text.size() && (std::isdigit(static_cast<unsigned char>(text[end])) || text[end] == '.'))
    ++end;
  return {text.substr(0, end), trim(text.substr(end))};
}

struct Scale {
  std::string_view unit;
  std::uint64_t factor;
};

constexpr std::array<Scale, 8> byte_scales = {
    {{"", 1}, {"B", 1}, {"KB", KiB}, {"KiB", KiB}, {"MB", MiB}, {"MiB", MiB}, {"GB", GiB}, {"GiB", GiB}}};
constexpr std::array<Scale, 4> hertz_scales = {
    {{"Hz", 1}, {"kHz", 1'000}, {"MHz", 1'000'000}, {"GHz", 1'000'000'000}}};

/// Exact decimal times an integer factor; empty when the product is not whole or overflows.
std::optional<std::uint64_t> scaled(std::string_view number, std::uint64_t factor) {
  if (number.empty() || number == ".") return std::nullopt;
  unsigned __int128 digits = 0;
  unsigned __int128 divisor = 1;
  bool fraction = false;
  for (const char c : number) {
    if (c == '.') {
      if (fraction) return std::nullopt;
      fraction = true;
      continue;
    }
    digits = digits * 10 + static_cast<unsigned>(c - '0');
    if (fraction) divisor *= 10;
    if (digits > (static_cast<unsigned __int128>(1) << 64) || divisor > 1'000'000'000'000'000'000ULL)
      return std::nullopt;
  }
  const unsigned __int128 product = digits * factor;
  if (product % divisor != 0) return std::nullopt;
  const unsigned __int128 value = product / divisor;
  if (value > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
  return static_cast<std::uint64_t>(value);
}

template <std::size_t N>
std::optional<std::uint64_t> parse_quantity(std::string_view text, const std::array<Scale, N>& scales) {
  const Quantity quantity = split(text);
  for (const Scale& scale : scales)
    if (scale.unit == quantity.unit) return scaled(quantity.number, scale.factor);
  return std::nullopt;
}

}  // namespace

std::optional<Bytes> parse_bytes(std::string_view text) {
  const auto count = parse_quantity(text, byte_scales);
  if (!count) return std::nullopt;
  return Bytes{*count};
}

std::optional<Hertz> parse_hertz(std::string_view text) {
  const auto count = parse_quantity(text, hertz_scales);
  if (!count) return std::nullopt;
  return Hertz{*count};
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  const std::string copy(trim(text));
  if (copy.empty()) return std::nullopt;
  const std::size_t sign = copy[0] == '-' || copy[0] == '+' ? 1 : 0;
  const bool hex =
      copy.size() > sign + 2 && copy[sign] == '0' && (copy[sign + 1] == 'x' || copy[sign + 1] == 'X');
  if (copy.size() == sign || !std::isxdigit(static_cast<unsigned char>(copy[sign]))) return std::nullopt;
  errno = 0;
  char* end = nullptr;
  const long long value = std::strtoll(copy.c_str(), &end, hex ? 16 : 10);
  if (errno != 0 || *end != '\0') return std::nullopt;
  return value;
}

std::optional<double> parse_real(std::string_view text) {
  const std::string copy(trim(text));
  if (copy.empty() || std::isspace(static_cast<unsigned char>(copy[0]))) return std::nullopt;
  errno = 0;
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (errno != 0 || *end != '\0' || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string to_text(Bytes size) {
  const std::uint64_t n = size.count;
  if (n >= GiB && n % GiB == 0) return std::to_string(n / GiB) + " GiB";
  if (n >= MiB && n % MiB == 0) return std::to_string(n / MiB) + " MiB";
  if (n >= KiB && n % KiB == 0) return std::to_string(n / KiB) + " KiB";
  return std::to_string(n) + " B";
}

std::string to_text(Hertz frequency) {
  const std::uint64_t n = frequency.count;
  if (n >= 1'000'000 && n % 1'000'000 == 0) return std::to_string(n / 1'000'000) + " MHz";
  if (n >= 1'000 && n % 1'000 == 0) return std::to_string(n / 1'000) + " kHz";
  return std::to_string(n) + " Hz";
}

}  // namespace strata
