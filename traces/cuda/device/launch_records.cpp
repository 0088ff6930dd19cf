#include "traces/cuda/device/launch_records.h"

#include <algorithm>
#include <unistd.h>
#include <utility>

namespace strata::cuda {

namespace record = traces::record;

namespace {

constexpr std::size_t enough_bytes = std::size_t{32} << 10;  ///< of columns: a few milliseconds of a kernel

}  // namespace

/// Earlier programs have written their entries; this program's come after them.
void RecordStream::follow() {
  begun_ = true;
  message_.begins_block = 1;
  record::StaticPart part;
  constexpr auto bytes = static_cast<ssize_t>(sizeof part.words);
  while (file_ >= 0 && ::pread(file_, part.words.data(), sizeof part.words,
                               static_cast<off_t>(dictionary_.size() * sizeof part.words)) == bytes)
    dictionary_.code(part);
  message_.known = dictionary_.size();
}

void RecordStream::add(const traces::CtaPath& cta) {
  if (!begun_) follow();
  if (message_.count == 0) message_.first = cta.index;
  const std::uint64_t instructions = cta.instructions();
  encoder_.add(cta);
  ++message_.count;
  message_.instructions += instructions;
  block_instructions_ += instructions;
  ++block_ctas_;
  const bool full = block_instructions_ >= record::block_instructions || block_ctas_ >= record::block_ctas;
  if (!full && encoder_.columns().bytes() < enough_bytes) return;
  flush();
  if (!full) return;
  encoder_.begin_block();
  message_.begins_block = 1;
  block_instructions_ = block_ctas_ = 0;
}

void RecordStream::flush() {
  if (message_.count == 0) return;
  std::vector<record::StaticPart> entries;
  for (std::uint32_t n = static_cast<std::uint32_t>(message_.known); n < dictionary_.size(); ++n)
    entries.push_back(dictionary_[n].part);
  if (file_ >= 0 && !entries.empty() &&
      ::pwrite(file_, entries.data(), entries.size() * sizeof entries[0],
               static_cast<off_t>(message_.known * sizeof entries[0])) < 0)
    file_ = -1;
  record::AccessCounts& counts = encoder_.counts();
  message_.accesses = counts.accesses;
  message_.lines = counts.lines;
  message_.shared = counts.shared;
  counts = record::AccessCounts();
  channel_.send_ctas(message_, entries, encoder_.columns());
  encoder_.columns().clear();
  message_ = CtasMessage();
  message_.known = dictionary_.size();
}

LaunchRecords::Kept::Kept(const traces::CtaPath& from)
    : path(from), addresses(from.addresses, from.addresses + from.address_count) {
  std::size_t count = 0;
  for (const traces::PathSegment& one : from.segments)
    count += std::size_t{one.pattern->cells} * (one.repeats + std::size_t{1});
  cells.reserve(count);  // pointers into it stay valid
  for (traces::PathSegment& one : path.segments) {
    const traces::PathCell* const at = one.cells;
    one.cells = cells.data() + cells.size();
    cells.insert(cells.end(), at, at + std::size_t{one.pattern->cells} * (one.repeats + std::size_t{1}));
    if (one.pattern->id == 0) one.pattern = &path.own[one.pattern->place];
  }
  path.addresses = addresses.data();
}

std::shared_ptr<LaunchRecords::Launch> LaunchRecords::begin(const LaunchMessage& message,
                                                            std::vector<std::uint32_t> after,
                                                            const traces::PtxLaunch& launch) {
  auto made = std::make_shared<Launch>();
  made->message = message;
  made->after = std::move(after);
  made->name = launch.kernel;
  made->program = launch.program;
  open_.push_back(made);
  if (message.recorded != 0) made->lines = launch.program->kernel(launch.kernel).lines;
  if (open_.size() == 1) send_launch(*made);
  return made;
}

void LaunchRecords::add(Launch& launch, const traces::CtaPath& cta) {
  if (open_.front().get() == &launch)
    stream_.add(cta);
  else
    launch.kept.emplace_back(cta);
}

void LaunchRecords::end(Launch& launch, const LaunchEnded& ended, std::string gaps) {
  launch.ended = ended;
  launch.gaps = std::move(gaps);
  launch.over = true;
  if (open_.front().get() == &launch) leave_first();
}

void LaunchRecords::drop(Launch& launch) {
  launch.dropped = true;
  if (!open_.empty() && open_.front().get() == &launch) leave_first();
}

void LaunchRecords::cut() {
  for (const auto& one : open_) one->dropped = !one->over;
  if (!open_.empty()) leave_first();
}

void LaunchRecords::send_launch(Launch& launch) {
  if (launch.lines != nullptr) {
    const auto [code, fresh] = codes_.emplace(launch.lines, static_cast<std::uint32_t>(codes_.size() + 1));
    if (fresh) channel_.send(MessageKind::code, encode(*launch.lines));
    launch.message.code = code->second;
  }
  channel_.send_launch(launch.message, launch.after, launch.name);
}

/// When the first launch has ended, the next one sends from now on.
void LaunchRecords::leave_first() {
  for (bool first = true; !open_.empty(); first = false) {
    const std::shared_ptr<Launch> one = open_.front();
    if (!first) {
      send_launch(*one);
      for (const Kept& cta : one->kept) stream_.add(cta.path);
      one->kept.clear();
    }
    if (!one->over && !one->dropped) return;
    stream_.flush();
    if (one->over) channel_.send_ended(one->ended, one->gaps);
    open_.pop_front();
  }
}

}  // namespace strata::cuda
