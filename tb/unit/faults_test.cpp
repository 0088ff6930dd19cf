#include "models/common/faults.h"

#include "tb/support/catch.h"

using namespace strata;

TEST_CASE("a fault's text leaves out what is unknown") {
  CHECK(to_text(Fault{{"a.yaml", 3, 7}, "bad"}) == "a.yaml:3:7: bad");
  CHECK(to_text(Fault{{"a.yaml", 3, 0}, "bad"}) == "a.yaml:3: bad");
  CHECK(to_text(Fault{{"a.yaml", 0, 7}, "bad"}) == "a.yaml: bad");
  CHECK(to_text(Fault{{}, "bad"}) == "bad");
}

TEST_CASE("a configuration error keeps all faults and says them line by line") {
  const ConfigError error(Faults{{{"a", 1, 0}, "one"}, {{"b", 2, 0}, "two"}});
  CHECK(error.faults().size() == 2);
  CHECK(std::string(error.what()) == "a:1: one\nb:2: two");
  CHECK(std::string(TraceError(Fault{{"t", 9, 0}, "cut"}).what()) == "t:9: cut");
}

TEST_CASE("the nearest word is offered only when it may have been meant") {
  const std::vector<std::string> words = {"latency", "ways", "write", "mshrs"};
  CHECK(nearest("latencey", words) == "latency");
  CHECK(nearest("wasy", words) == "ways");  // neighbours swapped: one edit
  CHECK(nearest("MSHRS", words) == "mshrs");
  CHECK(nearest("bandwidth", words).empty());
  CHECK(nearest("ways", {}).empty());
  CHECK(suggestion("wayz", words) == " (did you mean 'ways'?)");
  CHECK(suggestion("colour", words).empty());
}
