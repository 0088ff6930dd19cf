#include "models/common/policy_table.h"

#include "tb/support/catch.h"

using namespace strata;

namespace {

struct Shout {
  std::string_view name;
  std::string_view sentence;
  int (*make)();
};

int one() {
  return 1;
}
int two() {
  return 2;
}

}  // namespace

TEST_CASE("a table of policies keeps its own rows first and each name once") {
  PolicyTable<Shout> table = {{"quiet", "says nothing", one}};
  const Shout& first = table.at(0);
  const Shout loud{"loud", "says all", one};
  CHECK(table.find("loud") == -1);
  CHECK(table.fits(loud));
  table.add(loud);
  CHECK(table.find("loud") == 1);
  CHECK(table.fits(loud));  // the same row: its plug-in is loaded again
  table.add(loud);
  CHECK(table.size() == 2);
  CHECK_FALSE(table.fits({"loud", "of another plug-in", two}));
  CHECK_FALSE(table.fits({"quiet", "as Strata's", two}));
  CHECK(&first == &table.at(0));
  CHECK(table.names() == std::vector<std::string>{"quiet", "loud"});
  CHECK(table.sentences() == "says nothing (quiet); says all (loud)");
}
