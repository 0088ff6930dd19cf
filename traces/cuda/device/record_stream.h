#pragma once

#include <vector>

#include "traces/cuda/channel.h"
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

}  // namespace strata::cuda
