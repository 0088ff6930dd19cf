// Points of a sweep from its file: names, arguments, and everything that can be wrong.
#include "platforms/studies/sweep/sweep_plan.h"

#include "models/common/faults.h"
#include "platforms/studies/sweep/constraint.h"
#include "tb/support/catch.h"
#include "tb/support/temp_folder.h"

using namespace strata;
using namespace strata::platforms;

using strata::tb::TempFolder;

namespace {

const char* const plain =
    "platforms: [tiny]\n"
    "variants: {plain: , small: {set: {l1.size: 12 KiB}}}\n"
    "set: {llc.ways: [4, 8], sm.warps: 4}\n"
    "traces: [\"synthetic:random:loads=1\"]\n"
    "seeds: [7, 1..2]\n";

SweepPlan plan_of(const std::string& text, std::size_t most = most_points) {
  const TempFolder folder;
  return read_sweep(folder.write("s.yaml", text), "program", most);
}

std::string fault_of(const std::string& text, std::size_t most = most_points) {
  try {
    plan_of(text, most);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

bool has(const std::string& text, const std::string& part) {
  INFO(text);
  const bool found = text.find(part) != std::string::npos;
  CHECK(found);
  return found;
}

}  // namespace

TEST_CASE("a sweep is the product of its lists, named by what varies") {
  const SweepPlan plan =
      plan_of(std::string(plain).replace(std::string(plain).find(", sm.warps: 4"), 13, ""));
  REQUIRE(plan.points.size() == 2 * 2 * 3);  // variants, ways, seeds
  CHECK(plan.points.front().name == "plain-s7-llc.ways=4");
  CHECK(plan.points.back().name == "small-s2-llc.ways=8");
  const std::vector<std::string> last = {"tiny",       "--trace",        "synthetic:random:loads=1",
                                         "--set",      "l1.size=12 KiB", "--set",
                                         "llc.ways=8", "--seed",         "2"};
  CHECK(plan.points.back().arguments == last);
  CHECK(plan.points[0].identity.key != plan.points[1].identity.key);
  CHECK(plan.points[0].identity.input == plan.points[1].identity.input);
  CHECK(plan.varying() == std::vector<std::size_t>{1, 3, 4});
}

TEST_CASE("constraints take points away, and a template names the rest") {
  const SweepPlan plan = plan_of(
      "platforms: tiny\nset: {llc.ways: [4, 8], l1.ways: [4, 8]}\ntraces: [idle]\n"
      "only: llc.ways <= l1.ways\npoint: \"{l1.ways}of{llc.ways}\"\n");
  REQUIRE(plan.points.size() == 3);
  CHECK(plan.points[0].name == "4of4");
  CHECK(plan.points[1].name == "8of4");
  CHECK(plan.points[2].name == "8of8");
}

TEST_CASE("a sweep that cannot be meant is refused with its place and the nearest word") {
  has(fault_of("platform: [tiny]\n"), "s.yaml:1:1: sweep: no key 'platform' (did you mean 'platforms'?)");
  has(fault_of("platforms: [tinny]\n"),
      "s.yaml:1:13: no platform 'tinny': no such file (did you mean 'tiny'?)");
  has(fault_of("platforms: [tiny]\ntraces: [idle]\nset: {l1.way: [1]}\n"), "(did you mean 'ways'?)");
  has(fault_of("platforms: [tiny]\ntraces: [idle]\nset: {l1.way: [1]}\n"), "(needed for point 'point')");
  has(fault_of("platforms: [tiny]\ntraces: [idle]\nseeds: [3, 3]\n"),
      "two points are named 's3': seed=3 and seed=3; does a value stand twice?");
  has(fault_of("platforms: [tiny]\ntraces: [idle]\nseeds: [3, 4]\npoint: same\n"),
      "two points are named 'same': seed=3 and seed=4; 'point' must name the values that distinguish them");
  has(fault_of("platforms: [tiny]\ntraces: [idle]\npoint: \"{sed}\"\n"),
      "point: nothing varies by the name 'sed' (did you mean 'seed'?)");
  has(fault_of("platforms: [tiny]\nworkloads: [vaa@tiny]\n"), "no workload 'vaa' (did you mean 'va'?)");
  has(fault_of("platforms: [tiny]\nseeds: 1..x\n"), "seeds: '1..x' is no range; allowed: such as 1..5");
  has(fault_of("platforms: [tiny]\noptions: {max-instruction: 3}\n"), "(did you mean 'max-instructions'?)");
  has(fault_of("platforms: [tiny]\nonly: seed == 2\n"), "no point is left by 'only'");
  has(fault_of("- a\n"), "is no sweep: expected one mapping with the keys platforms");
}

TEST_CASE("too many points are counted, not made") {
  std::string text = "platforms: [tiny]\nset:\n";
  for (int axis = 0; axis < 9; ++axis)
    text += "  l1.k" + std::to_string(axis) + ": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\n";
  has(fault_of(text), "combinations (10 of l1.k0 x 10 of l1.k1");
  has(fault_of("platforms: [tiny]\nseeds: 1..1000000000\n"), "makes 1000000000 points or more");
  has(fault_of("platforms: [tiny]\ntraces: [idle]\nseeds: 1..11\n", 10), "more than 10 points");
}

TEST_CASE("seeds move the starts of CTAs where nothing else depends on them") {
  // A stream in order is the same with every seed, as a program in PTX is.
  const SweepPlan plan =
      plan_of("platforms: [tiny]\ntraces: [\"synthetic:streaming:loads=1\"]\nseeds: 1..3\n");
  REQUIRE(plan.points.size() == 3);
  const std::vector<std::string> last = {
      "tiny", "--trace", "synthetic:streaming:loads=1", "--set", "cta.launch_jitter=2", "--seed", "3"};
  CHECK(plan.points.back().arguments == last);
  REQUIRE(plan.notes.size() == 1);
  has(plan.notes[0],
      "seeds: CTAs start up to 2 cycles apart, drawn from the seed (cta.launch_jitter=2), in 3 of 3 "
      "points");
  has(plan_of("platforms: [tiny]\nworkloads: [va@tiny]\nseeds: 1..2\n").notes.at(0), "in 2 of 2 points");
  // What is random as it is stays as it is, and so does a single seed.
  CHECK(plan_of("platforms: [tiny]\ntraces: [\"synthetic:random:loads=1\"]\nseeds: 1..3\n").notes.empty());
  CHECK(plan_of("platforms: [tiny]\ntraces: [\"synthetic:streaming:loads=1\"]\nseeds: 3\n").notes.empty());
  CHECK(plan_of("platforms: [isca19/traffic_shared]\nseeds: 1..3\n").notes.empty());
  // A random stream with a seed of its own is the same in each run.
  CHECK(plan_of("platforms: [tiny]\ntraces: [\"synthetic:random:seed=5\"]\nseeds: 1..3\n").notes.size() == 1);
  // A jitter that the file gives is left alone.
  const SweepPlan more = plan_of(
      "platforms: [tiny]\nset: {cta.launch_jitter: 20}\ntraces: [\"synthetic:streaming\"]\nseeds: 1..3\n");
  CHECK(more.notes.empty());
  CHECK(more.points.size() == 3);
}

TEST_CASE("points that no seed moves run once") {
  const std::string none =
      "platforms: [tiny]\nset: {cta.launch_jitter: [0, 5]}\ntraces: [\"synthetic:streaming\"]\n";
  const SweepPlan plan = plan_of(none + "seeds: 1..3\n");
  REQUIRE(plan.points.size() == 4);  // one with 0, three with 5
  CHECK(plan.points[0].name == "s1-cta.launch_jitter=0");
  CHECK(plan.points[3].name == "s3-cta.launch_jitter=5");
  REQUIRE(plan.notes.size() == 1);
  has(plan.notes[0], "such points run once, and 2 are left out");
  // Random replacement draws from the seed.
  CHECK(plan_of(none + "seeds: 1..3\nvariants: {random: {set: {l1.replacement: random}}}\n").points.size() ==
        6);
}

// Conditions on the points of a sweep.

using strata::platforms::Constraint;
using strata::platforms::SyntaxFault;

namespace {

const std::vector<std::string> keys = {"platform", "l1.size", "l1.ways", "llc[0].ways", "policy"};

bool holds(const std::string& text, const std::vector<std::string>& values) {
  return Constraint::read(text, keys).holds(values);
}

std::string constraint_fault(const std::string& text) {
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
  CHECK(constraint_fault("l1.wayz * 2 < 4")
            .find("nothing varies by the name 'l1.wayz' (did you mean 'l1.ways'?)") == 0);
  CHECK(constraint_fault("l1.ways").find("expected a comparison") == 0);
  CHECK(constraint_fault("4 == 5").find("'4 == 5' names nothing that varies") == 0);
  CHECK(constraint_fault("l1.ways ==").find("expected a value") == 0);
  CHECK_THROWS_AS(holds("policy < 4", {"p", "1", "4", "8", "lru"}), strata::ConfigError);
  CHECK_THROWS_AS(holds("4 / l1.ways > 1", {"p", "1", "0", "8", "lru"}), strata::ConfigError);
}
