#include "traces/cuda/channel.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/uio.h>
#include <unistd.h>

#include "models/common/faults.h"

namespace strata::cuda {
namespace {

struct Head {
  std::uint32_t what = 0, mark = 0x53545241;
  std::uint64_t bytes = 0;
};
constexpr std::uint64_t most_bytes = std::uint64_t{16} << 30;
constexpr std::size_t batch_bytes = std::size_t{256}
                                    << 10;  ///< a quarter of the pipe, so that both ends keep working

constexpr std::size_t few_bytes = std::size_t{16} << 10;

}  // namespace

void ChannelWriter::send_pieces(MessageKind what, const std::vector<Piece>& pieces) {
  if (descriptor_ < 0) return;
  Head head;
  head.what = static_cast<std::uint32_t>(what);
  for (const Piece& piece : pieces) head.bytes += piece.bytes;
  if (what == MessageKind::ctas && head.bytes <= few_bytes) {
    const auto append = [&](const void* data, std::size_t bytes) {
      const char* const from = static_cast<const char*>(data);
      waiting_.insert(waiting_.end(), from, from + bytes);
    };
    append(&head, sizeof head);
    for (const Piece& piece : pieces)
      if (piece.bytes != 0) append(piece.data, piece.bytes);
    if (waiting_.size() < few_bytes) return;
    put({{waiting_.data(), waiting_.size()}});
  } else {
    std::vector<Piece> parts = {{waiting_.data(), waiting_.size()}, {&head, sizeof head}};
    parts.insert(parts.end(), pieces.begin(), pieces.end());
    put(std::move(parts));
  }
  waiting_.clear();
}

void ChannelWriter::put(std::vector<Piece> pieces) {
  std::vector<struct iovec> parts;
  for (const Piece& piece : pieces)
    if (piece.bytes != 0) parts.push_back({const_cast<void*>(piece.data), piece.bytes});
  for (std::size_t first = 0; first < parts.size();) {
    const ssize_t put = ::writev(descriptor_, &parts[first], static_cast<int>(parts.size() - first));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {  // the reader has gone
      descriptor_ = -1;
      return;
    }
    auto left = static_cast<std::size_t>(put);
    while (first < parts.size() && left >= parts[first].iov_len) left -= parts[first++].iov_len;
    if (left == 0) continue;
    parts[first].iov_base = static_cast<char*>(parts[first].iov_base) + left;
    parts[first].iov_len -= left;
  }
}

void ChannelWriter::send_launch(LaunchMessage launch, const std::vector<std::uint32_t>& after,
                                const std::string& name) {
  launch.waits = static_cast<std::uint32_t>(after.size());
  send_pieces(MessageKind::launch,
              {{&launch, sizeof launch}, {after.data(), after.size() * sizeof(std::uint32_t)}, name});
}
void ChannelWriter::send_ctas(CtasMessage message, const std::vector<traces::record::StaticPart>& entries,
                              traces::record::Columns& columns) {
  message.entries = entries.size();
  std::vector<Piece> pieces = {{&message, sizeof message},
                               {entries.data(), entries.size() * sizeof(entries[0])}};
  std::size_t column = 0;
  for (const std::string* bytes : columns.all()) {
    message.bytes[column++] = bytes->size();
    pieces.emplace_back(*bytes);
  }
  send_pieces(MessageKind::ctas, pieces);
}
void ChannelWriter::send_ended(const LaunchEnded& ended, const std::string& gaps) {
  send_pieces(MessageKind::ended, {{&ended, sizeof ended}, gaps});
}
void ChannelWriter::send_copy(const CopyMessage& copy) {
  send_pieces(MessageKind::copy, {{&copy, sizeof copy}});
}

void ChannelReader::fail() {
  throw TraceError(
      Fault{{"application", 0, 0},
            "what it says of its kernels is damaged: it has written over memory of the library"});
}

/// Reads more from the pipe; false at its end.
bool ChannelReader::fill() {
  if (read_.empty()) read_.resize(batch_bytes);
  taken_ = filled_ = 0;
  while (true) {
    const ssize_t got = ::read(descriptor_, read_.data(), read_.size());
    if (got < 0 && errno == EINTR) continue;
    ended_ = got <= 0;
    filled_ = ended_ ? 0 : static_cast<std::size_t>(got);
    return !ended_;
  }
}

bool ChannelReader::read(void* to, std::size_t bytes) {
  auto* at = static_cast<char*>(to);
  while (bytes > 0) {
    if (taken_ == filled_ && !fill()) return false;
    const std::size_t part = std::min(bytes, filled_ - taken_);
    std::memcpy(at, read_.data() + taken_, part);
    taken_ += part;
    at += part;
    bytes -= part;
  }
  return true;
}

bool ChannelReader::next(int milliseconds) {
  struct pollfd wait = {descriptor_, POLLIN, 0};
  if (ended_ || (taken_ == filled_ && ::poll(&wait, 1, milliseconds) <= 0)) return false;
  Head head;
  if (!read(&head, sizeof head)) return false;
  if (head.mark != Head().mark || head.what >= static_cast<std::uint32_t>(MessageKind::count_) ||
      head.bytes > most_bytes)
    fail();
  payload_.resize(head.bytes);
  if (!read(payload_.data(), payload_.size())) return false;
  what_ = static_cast<MessageKind>(head.what);
  return true;
}

template <class T>
T ChannelReader::head() const {
  T value;
  if (payload_.size() < sizeof value) fail();
  std::memcpy(&value, payload_.data(), sizeof value);
  return value;
}

LaunchMessage ChannelReader::launch(std::vector<std::uint32_t>& after, std::string& name) const {
  const auto message = head<LaunchMessage>();
  const std::size_t bytes = message.waits * sizeof(std::uint32_t), rest = payload_.size() - sizeof message;
  if (bytes > rest) fail();
  after.resize(message.waits);
  if (bytes != 0) std::memcpy(after.data(), payload_.data() + sizeof message, bytes);
  name.assign(payload_.data() + sizeof message + bytes, rest - bytes);
  if (message.grid.count() == 0 || message.block.count() == 0 || message.block.count() > 1024) fail();
  return message;
}
LaunchEnded ChannelReader::launch_ended(std::string& gaps) const {
  const auto ended = head<LaunchEnded>();
  gaps.assign(payload_.data() + sizeof ended, payload_.size() - sizeof ended);
  return ended;
}
CopyMessage ChannelReader::copy() const {
  return head<CopyMessage>();
}

CtasMessage ChannelReader::ctas(std::vector<traces::record::StaticPart>& entries,
                                traces::record::EncodedCtas& ctas) const {
  const auto message = head<CtasMessage>();
  const char* from = payload_.data() + sizeof message;
  const auto bytes = [&](std::uint64_t count) {
    if (count > static_cast<std::size_t>(payload_.data() + payload_.size() - from)) fail();
    const char* const begin = from;
    from += count;
    return begin;
  };
  if (message.entries > most_bytes / sizeof(entries[0])) fail();
  entries.resize(message.entries);
  const std::size_t entry_bytes = message.entries * sizeof(entries[0]);
  const char* const first_entry = bytes(entry_bytes);
  if (entry_bytes != 0) std::memcpy(static_cast<void*>(entries.data()), first_entry, entry_bytes);
  ctas.first = message.first;
  ctas.count = message.count;
  ctas.instructions = message.instructions;
  ctas.begins_block = message.begins_block != 0;
  std::size_t column = 0;
  for (std::string* to : ctas.columns.all()) {
    const std::uint64_t size = message.bytes[column++];
    to->assign(bytes(size), size);
  }
  if (ctas.columns.flags.size() != ctas.instructions) fail();
  return message;
}

}  // namespace strata::cuda
