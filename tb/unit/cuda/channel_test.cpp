// What an application says arrives as it was said and in its order, thread blocks of any size among the rest.
#include "traces/cuda/channel.h"

#include <thread>
#include <unistd.h>

#include "models/common/faults.h"
#include "tb/support/catch.h"

using namespace strata;
using namespace strata::cuda;
using traces::record::Columns;
using traces::record::EncodedCtas;
using traces::record::StaticPart;

namespace {

/// One thread block of so many instructions, each of whose flags says its place.
Columns columns_of(std::size_t instructions) {
  Columns columns;
  for (std::size_t n = 0; n < instructions; ++n) columns.flags.push_back(static_cast<char>(n));
  columns.warps = "one";
  columns.differences[7] = std::string(instructions, 'd');
  return columns;
}
void say(ChannelWriter& to, std::uint64_t index, std::size_t instructions) {
  CtasSaid said;
  said.first = index;
  said.count = 1;
  said.instructions = instructions;
  Columns columns = columns_of(instructions);
  to.say_ctas(said, std::vector<StaticPart>(index % 3), columns);
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
    for (std::size_t n = 0; n < sizes.size(); ++n) say(to, n, sizes[n]);
    to.say(Say::note, "between");
    for (std::size_t n = 0; n < 4000; ++n) say(to, n, 10);
    to.say(Say::bye, "the end");
    say(to, 0, 1);  // waits for what never comes
    ::close(ends[1]);
  });
  ChannelReader from(ends[0]);
  const auto next = [&] { return from.next(10000); };
  bool right = next() && from.what() == Say::hello;
  std::vector<StaticPart> entries;
  EncodedCtas ctas;
  const auto take = [&](std::size_t index, std::size_t size) {
    if (!next() || from.what() != Say::ctas) return false;
    from.ctas(entries, ctas);
    const Columns wanted = columns_of(size);
    return ctas.first == index && ctas.count == 1 && ctas.instructions == size &&
           entries.size() == index % 3 && ctas.columns.flags == wanted.flags &&
           ctas.columns.warps == wanted.warps && ctas.columns.differences == wanted.differences &&
           ctas.columns.masks.empty();
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

TEST_CASE("channel: columns that do not fit what is said of them are refused") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  ChannelWriter to(ends[1]);
  CtasSaid said;
  said.count = 1;
  said.instructions = 4;  // of 3
  Columns columns = columns_of(3);
  to.say_ctas(said, {}, columns);
  to.say(Say::bye);
  ::close(ends[1]);
  ChannelReader from(ends[0]);
  REQUIRE(from.next(10000));
  std::vector<StaticPart> entries;
  EncodedCtas ctas;
  CHECK_THROWS_AS(from.ctas(entries, ctas), TraceError);
  ::close(ends[0]);
}
