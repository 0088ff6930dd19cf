#include "platforms/report/timeline/timeline_selection.h"

#include "models/common/faults.h"
#include "models/common/random_stream.h"

namespace strata::platforms {
namespace {

[[noreturn]] void refuse(const char* option, const std::string& text, const std::string& why) {
  throw ConfigError("--" + std::string(option) + ": '" + text + "' " + why);
}

std::uint64_t number(const char* option, const std::string& text, const std::string& part, const char* why) {
  const auto value = parse_integer(part);
  if (!value || *value < 0) refuse(option, text, why);
  return static_cast<std::uint64_t>(*value);
}

}  // namespace

void TimelineOptions::set_window(const std::string& text) {
  constexpr const char* option = "timeline-window";
  constexpr const char* why = "is no window; expected core cycles, BEGIN:END, as in 1000:2000 or 1000:";
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos || text.size() == 1) refuse(option, text, why);
  if (colon != 0) begin = number(option, text, text.substr(0, colon), why);
  if (colon + 1 != text.size()) end = number(option, text, text.substr(colon + 1), why);
  if (begin >= end) refuse(option, text, "is empty: its end must lie after its begin");
}

void TimelineOptions::set_address(const std::string& text) {
  constexpr const char* option = "timeline-address";
  constexpr const char* why = "is no address; expected 0x7f0000001000, for its line, or FIRST:LAST";
  const std::size_t colon = text.find(':');
  first = number(option, text, text.substr(0, colon), why);
  last = colon == std::string::npos ? first : number(option, text, text.substr(colon + 1), why);
  if (first > last) refuse(option, text, "is empty: its last address must not lie before its first");
}

void TimelineOptions::set_fraction(const std::string& text) {
  constexpr const char* option = "timeline-fraction";
  const std::size_t slash = text.find('/');
  const auto above = parse_real(text.substr(0, slash));
  const auto below =
      slash == std::string::npos ? std::optional<double>(1) : parse_real(text.substr(slash + 1));
  if (!above || !below || !(*above > 0) || !(*below > 0) || *above > *below)
    refuse(option, text, "is no fraction; allowed: above 0, to 1, as in 0.01 or 1/100");
  fraction = *above / *below;
}

void TimelineOptions::set_limit(const std::string& text) {
  const auto size = parse_bytes(text);
  if (!size || *size < 64 * KiB)
    refuse("timeline-limit", text, "is no limit; allowed: a size of 64 KiB or more, as in 1 GiB");
  limit = *size;
}

TimelineSelection::TimelineSelection(const TimelineOptions& options, std::uint64_t seed)
    : begin_(options.begin),
      end_(options.end),
      first_(options.first),
      last_(options.last),
      all_(options.fraction >= 1),
      threshold_(RandomStream::threshold(options.fraction)),
      seed_(seed_of(seed, "timeline")) {}

bool TimelineSelection::takes_number(std::uint64_t request) const {
  return all_ || RandomStream(seed_ ^ RandomStream(request).next()).next53() < threshold_;
}

}  // namespace strata::platforms
