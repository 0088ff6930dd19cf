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
                                    << 10;  ///< a quarter of the pipe: both ends keep running

bool is_sound(const WarpInstruction& i, const CtaTrace& cta) {
  if (i.op >= OpClass::count_ || i.address_kind > AddressKind::list) return false;
  return i.address_kind != AddressKind::list ||
         (i.address <= cta.addresses.size() &&
          static_cast<std::uint64_t>(i.active_lanes()) <= cta.addresses.size() - i.address);
}

}  // namespace

void ChannelWriter::send(Say what, std::initializer_list<Piece> pieces) {
  if (descriptor_ < 0) return;
  Head head;
  head.what = static_cast<std::uint32_t>(what);
  for (const Piece& piece : pieces) head.bytes += piece.bytes;
  if (what == Say::cta && head.bytes <= batch_bytes / 4) {
    const auto append = [&](const void* data, std::size_t bytes) {
      const char* const from = static_cast<const char*>(data);
      waiting_.insert(waiting_.end(), from, from + bytes);
    };
    append(&head, sizeof head);
    for (const Piece& piece : pieces)
      if (piece.bytes != 0) append(piece.data, piece.bytes);
    if (waiting_.size() < batch_bytes) return;
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
    if (put < 0) {  // nobody listens any more
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

void ChannelWriter::say_launch(const LaunchSaid& launch, const std::string& name) {
  send(Say::launch, {{&launch, sizeof launch}, name});
}
void ChannelWriter::say_cta(const CtaTrace& cta) {
  const CtaSaid said{cta.index, cta.instructions.size(), cta.warp_begin.size(), cta.addresses.size()};
  send(Say::cta, {{&said, sizeof said},
                  {cta.instructions.data(), cta.instructions.size() * sizeof(WarpInstruction)},
                  {cta.addresses.data(), cta.addresses.size() * sizeof(Address)},
                  {cta.warp_begin.data(), cta.warp_begin.size() * sizeof(std::uint32_t)}});
}
void ChannelWriter::say_ended(const LaunchEnded& ended) {
  send(Say::ended, {{&ended, sizeof ended}});
}
void ChannelWriter::say_copy(const CopySaid& copy) {
  send(Say::copy, {{&copy, sizeof copy}});
}

void ChannelReader::fail() {
  throw TraceError(
      Fault{{"application", 0, 0},
            "what it says of its kernels is damaged: it has written over memory of the library"});
}

/// More from the pipe; false: it has ended.
bool ChannelReader::fill() {
  read_.resize(batch_bytes);
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
  if (head.mark != Head().mark || head.what >= static_cast<std::uint32_t>(Say::count_) ||
      head.bytes > most_bytes)
    fail();
  payload_.resize(head.bytes);
  if (!read(payload_.data(), payload_.size())) return false;
  what_ = static_cast<Say>(head.what);
  return true;
}

template <class T>
T ChannelReader::head() const {
  T value;
  if (payload_.size() < sizeof value) fail();
  std::memcpy(&value, payload_.data(), sizeof value);
  return value;
}

LaunchSaid ChannelReader::launch(std::string& name) const {
  const auto said = head<LaunchSaid>();
  name.assign(payload_.data() + sizeof said, payload_.size() - sizeof said);
  if (said.grid.count() == 0 || said.block.count() == 0 || said.block.count() > 1024) fail();
  return said;
}
LaunchEnded ChannelReader::launch_ended() const {
  return head<LaunchEnded>();
}
CopySaid ChannelReader::copy() const {
  return head<CopySaid>();
}

const CtaTrace& ChannelReader::cta() {
  const auto said = head<CtaSaid>();
  constexpr std::uint64_t most = most_bytes / sizeof(WarpInstruction);
  if (said.instructions > most || said.warps > 33 || said.addresses > most_bytes / sizeof(Address)) fail();
  const char* from = payload_.data() + sizeof said;
  CtaTrace& cta = cta_;
  cta.index = said.index;
  const auto take = [&](auto& to, std::uint64_t count) {
    const std::size_t bytes = count * sizeof(to[0]);
    if (bytes > static_cast<std::size_t>(payload_.data() + payload_.size() - from)) fail();
    to.resize(count);
    if (bytes != 0) std::memcpy(static_cast<void*>(to.data()), from, bytes);
    from += bytes;
  };
  take(cta.instructions, said.instructions);
  take(cta.addresses, said.addresses);
  take(cta.warp_begin, said.warps);
  std::uint32_t before = 0;
  for (const std::uint32_t begin : cta.warp_begin) {
    if (begin < before || begin > cta.instructions.size()) fail();
    before = begin;
  }
  for (const WarpInstruction& i : cta.instructions)
    if (!is_sound(i, cta)) fail();
  return cta;
}

}  // namespace strata::cuda
