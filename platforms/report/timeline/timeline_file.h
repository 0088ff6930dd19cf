#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/units.h"
#include "models/io/draft.h"

namespace strata::platforms {

/// An interval of core cycles, without its end.
struct TimelineSlice {
  std::string_view name;  ///< must live as long as the file
  std::string_view category;
  Cycle begin = 0;
  Cycle end = 0;
};

/// A value of a slice.
struct TimelineNote {
  enum class Kind { number, address, text, yes };
  std::string_view name;
  Kind kind = Kind::number;
  std::uint64_t value = 0;
  std::string_view text = {};
};

/// A trace for ui.perfetto.dev, written as a stream: tracks, slices in them, arrows between slices. One
/// nanosecond in Perfetto is one core cycle. Overlapping slices of a track lie side by side in its lanes,
/// which Perfetto shows as one track. The file appears when it is finished.
class TimelineFile {
 public:
  /// Throws ConfigError if the file cannot be written.
  TimelineFile(const std::string& path, std::uint64_t limit);
  ~TimelineFile();

  /// Tracks are shown in the order of their creation; `parent`: none, or a track without slices.
  int add_track(const std::string& name, int parent = none);
  /// Adds a slice with a sequence of slices inside it. `flow`: slices with the same number are connected, in
  /// the order of their begins; 0: none.
  void add(int track, const TimelineSlice& outer, const std::vector<TimelineSlice>& inner,
           const std::vector<TimelineNote>& notes, std::uint64_t flow);

  /// The limit of bytes is reached.
  bool full() const { return bytes_ >= limit_; }
  std::uint64_t slices() const { return slices_; }
  std::uint64_t bytes() const { return bytes_; }
  /// Renames the file to its final name. Throws ConfigError if that or an earlier write failed.
  void finish();

  static constexpr int none = -1;

 private:
  struct Lane {
    std::uint64_t uuid;
    Cycle free = 0;
  };
  struct Track {
    std::string name;
    int parent;
    std::uint64_t uuid = 0;  // 0: not written yet
    std::vector<Lane> lanes;
  };
  struct Packets;
  std::uint64_t parent_uuid(int track);
  Lane& lane_for(int track, Cycle begin);
  void describe(std::uint64_t uuid, const std::string& name, std::uint64_t parent, int rank, bool leaf);
  void begin(std::uint64_t lane, const TimelineSlice& slice, const std::vector<TimelineNote>& notes,
             std::uint64_t flow);
  void end(std::uint64_t lane, Cycle at);
  void put();
  void flush();

  const std::string path_;
  const std::uint64_t limit_;
  Draft draft_;
  std::vector<Track> tracks_;
  std::uint64_t next_uuid_ = 1;
  std::unique_ptr<Packets> packets_;
  std::string buffer_;
  std::uint64_t bytes_ = 0;
  std::uint64_t slices_ = 0;
  int error_ = 0;  // errno of the first failed write
};

}  // namespace strata::platforms
