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

/// Sends the instructions of recorded thread blocks in columns, which are about forty times smaller, made
/// while the instructions are still in the host's caches.
class RecordStream {
 public:
  /// `dictionary`: a file to which the programs of a run append their entries of the record's dictionary, one
  /// after another; below 0: none.
  RecordStream(ChannelWriter& channel, int dictionary) : channel_(channel), file_(dictionary) {}
  /// Adds a thread block of the current launch, in order.
  void add(const traces::CtaPath& cta);
  /// Sends everything, before other messages about the launch.
  void flush();

 private:
  void follow();

  ChannelWriter& channel_;
  int file_;
  bool begun_ = false;
  traces::record::Dictionary dictionary_;
  traces::record::ColumnEncoder encoder_{dictionary_};
  CtasMessage message_;
  std::uint64_t block_instructions_ = 0, block_ctas_ = 0;
};

/// Messages of launches, one launch after another in the order of their begin. While a launch waits for
/// others, their messages are kept.
class LaunchRecords {
 public:
  LaunchRecords(ChannelWriter& channel, RecordStream& stream) : channel_(channel), stream_(stream) {}
  struct Launch;
  /// `after`: recorded launches that it waits for.
  std::shared_ptr<Launch> begin(const LaunchMessage& message, std::vector<std::uint32_t> after,
                                const traces::PtxLaunch& launch);
  void add(Launch& launch, const traces::CtaPath& cta);
  /// `gaps` in the format of MessageKind::ended.
  void end(Launch& launch, const LaunchEnded& ended, std::string gaps);
  /// The launch will not end. Its messages are sent all the same, since later launches count on its number.
  void drop(Launch& launch);
  /// No launch in progress will end.
  void cut();

  /// A kept thread block, with everything that its path refers to except patterns.
  struct Kept {
    explicit Kept(const traces::CtaPath& from);
    Kept(const Kept&) = delete;
    Kept& operator=(const Kept&) = delete;
    traces::CtaPath path;
    std::vector<traces::PathCell> cells;
    std::vector<Address> addresses;
  };
  struct Launch {
    LaunchMessage message;
    std::vector<std::uint32_t> after;
    std::string name;
    std::shared_ptr<const CodeLines> lines;             ///< of recorded launches
    std::shared_ptr<const traces::PtxProgram> program;  ///< keeps the patterns of its paths alive
    std::deque<Kept> kept;
    LaunchEnded ended;
    std::string gaps;
    bool over = false, dropped = false;
  };

 private:
  void send_launch(Launch& launch);
  void leave_first();

  ChannelWriter& channel_;
  RecordStream& stream_;
  std::map<std::shared_ptr<const CodeLines>, std::uint32_t> codes_;  ///< code lines that have been sent
  std::list<std::shared_ptr<Launch>> open_;                          ///< the first one sends
};

}  // namespace strata::cuda
