#pragma once

#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "platforms/engine/application/kernel_table.h"
#include "traces/cuda/app_options.h"
#include "traces/record/record_writer.h"

namespace strata::platforms {

/// Runs a program with Strata's CUDA libraries and receives what it reports about its kernels.
class ApplicationRun {
 public:
  struct Result {
    int status = 0;              ///< status of waitpid
    bool ours = false;           ///< it has loaded a Strata CUDA library
    std::string fault;           ///< fault of a kernel; empty: none
    std::string ended_by;        ///< why Strata ended it: "max-instructions"; empty: it ended by itself
    std::uint64_t recorded = 0;  ///< launches
    bool cut = false;            ///< one of the launches is incomplete
    bool interrupted = false;
  };

  /// `record`: the file to write; empty: none.
  ApplicationRun(std::vector<std::string> words, cuda::AppOptions options, std::string record, bool progress);
  /// Throws ConfigError if it cannot be started.
  Result run();
  const KernelTable& kernels() const { return kernels_; }
  std::uint64_t record_bytes() const { return record_bytes_; }

 private:
  pid_t start(int channel, int dictionary) const;
  void take(cuda::ChannelReader& message);
  void begin_launch(const cuda::ChannelReader& message);
  void cut_kernel();
  void add_gaps();
  void show_progress();
  void finish_record();

  std::vector<std::string> words_;
  cuda::AppOptions options_;
  std::string record_;
  bool progress_;
  std::unique_ptr<traces::RecordWriter> writer_;
  KernelTable kernels_;
  Result result_;
  std::string launched_;  ///< kernel in execution
  std::uint64_t ctas_ = 0, ctas_done_ = 0;
  /// Recorded launches of the program that sends, as numbers in the record; no_kernel: a launch without
  /// effect.
  std::vector<std::uint32_t> recorded_;
  std::vector<std::shared_ptr<const CodeLines>> codes_;  ///< of the program that sends
  bool in_launch_ = false, recording_ = false;
  std::uint64_t record_bytes_ = 0;
  std::vector<traces::record::StaticPart> entries_;  // buffers, reused between messages
  traces::record::EncodedCtas encoded_;
  std::string gaps_text_;
  std::vector<SourceGap> gaps_;  ///< of recorded launches
};

}  // namespace strata::platforms
