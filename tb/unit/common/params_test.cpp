#include "models/common/params.h"

#include "tb/support/catch.h"

using namespace strata;

namespace {

struct Sample final : ParamSet {
  int ways = 4;
  Bytes line{128};
  double share = 0.5;
  int kind = 0;
  bool crossed = false;
  void for_each_param(ParamVisitor& v) override {
    v.integer({"ways", "ways", "w"}, ways, {1, 16});
    v.bytes({"line", "bytes", "l"}, line, {32, 256, true});
    v.real({"share", "", "s"}, share, 0, 1);
    v.choice({"kind", "", "k"}, kind, {{0, "plain"}, {1, "hashed"}});
  }
  Faults validate() const override {
    return crossed ? Faults{param_fault("ways", "do not fit the line")} : Faults{};
  }
};

std::vector<std::string> messages(Sample sample) {
  std::vector<std::string> all;
  try {
    require_valid(sample, "l1");
  } catch (const ConfigError& error) {
    for (const Fault& fault : error.faults()) all.push_back(to_text(fault));
  }
  return all;
}

}  // namespace

TEST_CASE("defaults are valid") {
  CHECK(messages({}).empty());
}

TEST_CASE("every fault is reported at once, with value and range") {
  Sample sample;
  sample.ways = 17;
  sample.line = Bytes(96);
  sample.share = 1.5;
  sample.kind = 2;
  sample.crossed = true;
  const auto all = messages(sample);
  REQUIRE(all.size() == 5);
  CHECK(all[0] == "l1.ways: is 17; allowed: 1 to 16");
  CHECK(all[1] == "l1.line: is 96; allowed: 32 to 256, a power of two");
  CHECK(all[2].find("l1.share: is 1.5") == 0);
  CHECK(all[3] == "l1.kind: is none of the choices; allowed: plain, hashed");
  CHECK(all[4] == "l1.ways: do not fit the line");
}

TEST_CASE("the ends of a range belong to it, nan to none") {
  Sample sample;
  sample.ways = 16;
  sample.line = Bytes(32);
  sample.share = 1;
  CHECK(messages(sample).empty());
  sample.share = 0.0 / 0.0;
  CHECK(messages(sample).size() == 1);
  sample = {};
  sample.ways = 0;
  CHECK(messages(sample).size() == 1);
}
