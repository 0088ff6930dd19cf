#pragma once

#include <deque>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "traces/cuda/channel.h"
#include "traces/ptx/ptx_program.h"
#include "traces/record/column_encoder.h"

namespace strata::cuda {

/// What recorded thread blocks execute, on its way to who writes the record: in columns, which are some forty
/// times smaller, made where the instructions still lie in the caches.
class RecordStream {
 public:
  /// `dictionary`: a file to which each program that is recorded adds its entries of the record's dictionary,
  /// so that they follow each other; below 0: there is none.
  RecordStream(ChannelWriter& channel, int dictionary) : channel_(channel), file_(dictionary) {}
  /// Thread blocks of one launch, in their order.
  void add(const traces::CtaPath& cta);
  /// Nothing is kept back: before anything else is said of the launch.
  void flush();

 private:
  void follow();

  ChannelWriter& channel_;
  int file_;
  bool begun_ = false;
  traces::record::Dictionary dictionary_;
  traces::record::ColumnEncoder encoder_{dictionary_};
  CtasSaid said_;
  std::uint64_t block_instructions_ = 0, block_ctas_ = 0;
};

/// What launches say, one launch behind the other in the order in which they began: while one waits for
/// others, what these say is kept.
class LaunchRecords {
 public:
  LaunchRecords(ChannelWriter& channel, RecordStream& stream) : channel_(channel), stream_(stream) {}
  struct Launch;
  /// With the recorded launches that it waits for.
  std::shared_ptr<Launch> begin(const LaunchSaid& said, std::vector<std::uint32_t> after,
                                const traces::PtxLaunch& launch);
  void add(Launch& launch, const traces::CtaPath& cta);
  /// `gaps` as Say::ended has them.
  void end(Launch& launch, const LaunchEnded& ended, std::string gaps);
  /// It comes to no end. What it did is said all the same: launches behind it count on its number.
  void drop(Launch& launch);
  /// None of those that are open comes to an end.
  void cut();

  /// A thread block that is kept, with all that its path refers to but for patterns.
  struct Kept {
    explicit Kept(const traces::CtaPath& from);
    Kept(const Kept&) = delete;
    Kept& operator=(const Kept&) = delete;
    traces::CtaPath path;
    std::vector<traces::PathCell> cells;
    std::vector<Address> addresses;
  };
  struct Launch {
    LaunchSaid said;
    std::vector<std::uint32_t> after;
    std::string name;
    std::shared_ptr<const CodeLines> lines;             ///< of recorded ones
    std::shared_ptr<const traces::PtxProgram> program;  ///< which keeps patterns of its paths
    std::deque<Kept> kept;
    LaunchEnded ended;
    std::string gaps;
    bool over = false, dropped = false;
  };

 private:
  void say_launch(Launch& launch);
  void leave_first();

  ChannelWriter& channel_;
  RecordStream& stream_;
  std::map<std::shared_ptr<const CodeLines>, std::uint32_t> codes_;  ///< that were said
  std::list<std::shared_ptr<Launch>> open_;                          ///< the first one speaks
};

}  // namespace strata::cuda
