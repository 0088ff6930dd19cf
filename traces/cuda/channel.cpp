#include "traces/cuda/channel.h"

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
  std::vector<struct iovec> parts = {{&head, sizeof head}};
  for (const Piece& piece : pieces) {
    head.bytes += piece.bytes;
    if (piece.bytes != 0) parts.push_back({const_cast<void*>(piece.data), piece.bytes});
  }
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

bool ChannelReader::read(void* to, std::size_t bytes) {
  auto* at = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t got = ::read(descriptor_, at, bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      ended_ = true;
      return false;
    }
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

bool ChannelReader::next(int milliseconds) {
  struct pollfd wait = {descriptor_, POLLIN, 0};
  if (ended_ || ::poll(&wait, 1, milliseconds) <= 0) return false;
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
