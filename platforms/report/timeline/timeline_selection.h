#pragma once

#include <cstdint>
#include <string>

#include "models/common/access.h"

namespace strata::platforms {

/// The requests that a timeline shows, and the file for it.
struct TimelineOptions {
  std::string file;
  Cycle begin = 0;                  ///< requests in flight in a core cycle from here
  Cycle end = never;                ///< to before this one
  Address first = 0;                ///< requests for lines with a byte from here
  Address last = ~Address{0};       ///< to this one
  double fraction = 1;              ///< share of the requests, selected by their number and the run's seed
  std::uint64_t limit = 256 * MiB;  ///< bytes of the file

  /// `BEGIN:END` in core cycles; one of them may be left out. Throws ConfigError, like the other setters.
  void set_window(const std::string& text);
  /// `ADDRESS`: the line with this byte; or `FIRST:LAST`.
  void set_address(const std::string& text);
  /// `0.01` or `1/100`.
  void set_fraction(const std::string& text);
  void set_limit(const std::string& text);
};

/// The same selection for the requests of a run, numbered in the order in which they appear.
class TimelineSelection {
 public:
  TimelineSelection(const TimelineOptions& options, std::uint64_t seed);

  bool takes_line(Address line, std::uint64_t bytes) const {
    return line <= last_ && line + (bytes - 1) >= first_;
  }
  bool takes_number(std::uint64_t request) const;
  bool takes_all_lines() const { return first_ == 0 && last_ == ~Address{0}; }
  bool takes_all_numbers() const { return all_; }
  bool begins_in_time(Cycle birth) const { return birth < end_; }
  /// True if the request, alive from `birth` to before `over`, overlaps the window. A request that takes no
  /// time counts in the cycle of its birth.
  bool overlaps(Cycle birth, Cycle over) const { return birth < end_ && (over > begin_ || birth >= begin_); }

 private:
  Cycle begin_, end_;
  Address first_, last_;
  bool all_;
  std::uint64_t threshold_;
  std::uint64_t seed_;
};

}  // namespace strata::platforms
