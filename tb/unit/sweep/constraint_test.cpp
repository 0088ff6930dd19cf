// Conditions on the points of a sweep.
#include "platforms/studies/sweep/constraint.h"

#include "models/common/faults.h"
#include "tb/support/catch.h"

using strata::platforms::Constraint;
using strata::platforms::SyntaxFault;

namespace {

const std::vector<std::string> keys = {"platform", "l1.size", "l1.ways", "llc[0].ways", "policy"};

bool holds(const std::string& text, const std::vector<std::string>& values) {
  return Constraint::read(text, keys).holds(values);
}

std::string fault_of(const std::string& text) {
  try {
    Constraint::read(text, keys);
  } catch (const SyntaxFault& fault) {
    return fault.message;
  }
  return "";
}

}  // namespace

TEST_CASE("a constraint compares texts, numbers and sizes") {
  const std::vector<std::string> point = {"isca19/shared", "16 KiB", "4", "8", "lru"};
  CHECK(holds("platform == isca19/shared", point));
  CHECK_FALSE(holds("platform != isca19/shared", point));
  CHECK(holds("l1.size == 16384", point));           // a size is its bytes
  CHECK(holds("l1.size / l1.ways >= 4096", point));  // 16384 / 4 = 4096
  CHECK_FALSE(holds("l1.size / l1.ways > 4096", point));
  CHECK(holds("2 * l1.ways <= llc[0].ways or policy == nru", {"p", "1", "4", "9", "nru"}) == true);
  CHECK(holds("policy == nru or policy == lru", point));
  CHECK_FALSE(holds("policy == nru or l1.ways < 4", point));
  CHECK(holds("llc[0].ways == 8", point));
  CHECK(holds("policy != fifo", point));
}

TEST_CASE("a constraint that cannot be meant is refused") {
  CHECK(fault_of("l1.wayz * 2 < 4").find("nothing varies by the name 'l1.wayz' (did you mean 'l1.ways'?)") ==
        0);
  CHECK(fault_of("l1.ways").find("expected a comparison") == 0);
  CHECK(fault_of("4 == 5").find("'4 == 5' names nothing that varies") == 0);
  CHECK(fault_of("l1.ways ==").find("expected a value") == 0);
  CHECK_THROWS_AS(holds("policy < 4", {"p", "1", "4", "8", "lru"}), strata::ConfigError);
  CHECK_THROWS_AS(holds("4 / l1.ways > 1", {"p", "1", "0", "8", "lru"}), strata::ConfigError);
}
