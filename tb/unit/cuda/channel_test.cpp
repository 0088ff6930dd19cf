// What an application says arrives as it was said and in its order, thread blocks of any size among the rest.
#include "traces/cuda/channel.h"

#include <thread>
#include <unistd.h>

#include "models/common/faults.h"
#include "tb/support/catch.h"

using namespace strata;
using namespace strata::cuda;

namespace {

/// A thread block of one warp, each of whose instructions has its place as PC.
CtaTrace block_of(std::uint64_t index, std::size_t instructions) {
  CtaTrace cta;
  cta.index = index;
  cta.instructions.resize(instructions);
  for (std::size_t n = 0; n < instructions; ++n) cta.instructions[n].pc = static_cast<std::uint32_t>(n);
  cta.warp_begin = {0, static_cast<std::uint32_t>(instructions)};
  return cta;
}

}  // namespace

TEST_CASE("channel: thread blocks wait for each other, and nothing overtakes them") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  // Small ones, one larger than what is read at once, none at all.
  const std::vector<std::size_t> sizes = {3, 1, 20000, 2, 0, 5};
  std::thread writer([&] {
    ChannelWriter to(ends[1]);
    to.say(Say::hello);
    for (std::size_t n = 0; n < sizes.size(); ++n) to.say_cta(block_of(n, sizes[n]));
    to.say(Say::note, "between");
    for (std::size_t n = 0; n < 4000; ++n) to.say_cta(block_of(n, 10));
    to.say(Say::bye, "the end");
    to.say_cta(block_of(0, 1));  // waits for what never comes
    ::close(ends[1]);
  });
  ChannelReader from(ends[0]);
  const auto next = [&] { return from.next(10000); };
  bool right = next() && from.what() == Say::hello;
  const auto take = [&](std::size_t index, std::size_t size) {
    if (!next() || from.what() != Say::cta) return false;
    const CtaTrace& cta = from.cta();
    bool same = cta.index == index && cta.instructions.size() == size && cta.warp_begin.back() == size;
    for (std::size_t n = 0; same && n < size; ++n) same = cta.instructions[n].pc == n;
    return same;
  };
  for (std::size_t n = 0; n < sizes.size(); ++n) right = right && take(n, sizes[n]);
  right = right && next() && from.what() == Say::note && from.text() == "between";
  for (std::size_t n = 0; n < 4000; ++n) right = right && take(n, 10);
  right = right && next() && from.what() == Say::bye && from.text() == "the end";
  writer.join();
  CHECK(right);
  CHECK_FALSE(next());
  CHECK(from.ended());
  ::close(ends[0]);
}
