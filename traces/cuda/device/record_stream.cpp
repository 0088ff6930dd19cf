#include "traces/cuda/device/record_stream.h"

#include <unistd.h>

namespace strata::cuda {

namespace record = traces::record;

namespace {

constexpr std::size_t enough_bytes = std::size_t{32} << 10;  ///< of columns: some milliseconds of a kernel

}  // namespace

/// The programs before have written what they said; ours comes behind it.
void RecordStream::follow() {
  begun_ = true;
  said_.begins_block = 1;
  record::StaticPart part;
  constexpr auto bytes = static_cast<ssize_t>(sizeof part.words);
  while (file_ >= 0 && ::pread(file_, part.words.data(), sizeof part.words,
                               static_cast<off_t>(dictionary_.size() * sizeof part.words)) == bytes)
    dictionary_.code(part);
  said_.known = dictionary_.size();
}

void RecordStream::add(const traces::CtaPath& cta) {
  if (!begun_) follow();
  if (said_.count == 0) said_.first = cta.index;
  const std::uint64_t instructions = cta.instructions();
  encoder_.add(cta);
  ++said_.count;
  said_.instructions += instructions;
  block_instructions_ += instructions;
  ++block_ctas_;
  const bool full = block_instructions_ >= record::block_instructions || block_ctas_ >= record::block_ctas;
  if (!full && encoder_.columns().bytes() < enough_bytes) return;
  flush();
  if (!full) return;
  encoder_.begin_block();
  said_.begins_block = 1;
  block_instructions_ = block_ctas_ = 0;
}

void RecordStream::flush() {
  if (said_.count == 0) return;
  std::vector<record::StaticPart> entries;
  for (std::uint32_t n = static_cast<std::uint32_t>(said_.known); n < dictionary_.size(); ++n)
    entries.push_back(dictionary_[n].part);
  if (file_ >= 0 && !entries.empty() &&
      ::pwrite(file_, entries.data(), entries.size() * sizeof entries[0],
               static_cast<off_t>(said_.known * sizeof entries[0])) < 0)
    file_ = -1;
  record::AccessCounts& counts = encoder_.counts();
  said_.accesses = counts.accesses;
  said_.lines = counts.lines;
  said_.shared = counts.shared;
  counts = record::AccessCounts();
  channel_.say_ctas(said_, entries, encoder_.columns());
  encoder_.columns().clear();
  said_ = CtasSaid();
  said_.known = dictionary_.size();
}

}  // namespace strata::cuda
