#include "platforms/engine/plugins/plugin_file.h"

#include <cstring>

#include "models/common/policy_table.h"
#include "tb/support/catch.h"

using namespace strata;
using namespace strata::platforms;

TEST_CASE("a mark of this build is taken, and one that differs is named by what differs first") {
  PluginMark mark = plugin_mark();
  CHECK(objection_to(mark).empty());
  mark.layout ^= 1;
  CHECK(objection_to(mark) ==
        "was built with headers of another Strata; build it again with this Strata's headers");
  mark.compiler[0] = '\0';
  CHECK(objection_to(mark).find("was built by , and this program by ") == 0);
  std::memset(mark.systemc, '9', sizeof mark.systemc);  // no end of its text: a damaged file
  CHECK(objection_to(mark).find("was built with SystemC 9999999999999999, and this program with ") == 0);
  std::strcpy(mark.abi, "2");
  CHECK(objection_to(mark).find(
            "was built for version 2 of the plug-in interface, and this program has version 1") == 0);
}

TEST_CASE("the hash of a layout tells one size and the order of two") {
  CHECK(layout_hash({8, 16}) != layout_hash({16, 8}));
  CHECK(layout_hash({8, 16}) != layout_hash({8, 17}));
}

TEST_CASE("a kind of trace is found by the word before the colon, and by nothing else") {
  CHECK(find_trace_kind({}, "ring:1") == nullptr);
  PluginRows rows;
  rows.add(TraceKind{
      "ring", "a ring",
      [](const std::string&, std::uint64_t) -> std::unique_ptr<InstructionSource> { return nullptr; }});
  CHECK(objection_to(rows).empty());
  rows.add(TraceKind{"workload", "taken", nullptr});
  CHECK(objection_to(rows) == "its kind of trace 'workload' has a name that Strata uses itself");
}

TEST_CASE("an empty file name is refused in words") {
  CHECK_THROWS_WITH(PluginFile::load(""), "plug-in: the name of the file is empty");
}

namespace {

struct Greeting {
  std::string_view name;
  std::string_view sentence;
  int (*make)();

  static constexpr std::string_view kind = "greeting";
  static PolicyTable<Greeting>& table() {
    static PolicyTable<Greeting> rows = {{"hello", "Strata's own", [] { return 1; }}};
    return rows;
  }
};

std::string objection_to_greeting(const Greeting& row) {
  PluginRows rows;
  rows.add(row);
  return objection_to(rows);
}

}  // namespace

TEST_CASE(
    "a policy with a bad name, one that is taken or a missing hook is refused, and none is added before all "
    "fit") {
  const auto make = [] { return 2; };
  CHECK(objection_to_greeting({"hi", "another", make}).empty());
  CHECK(objection_to_greeting({"hello", "taken", make}) ==
        "brings a greeting that this program or another plug-in has too: 'hello'; give it a name of its own");
  CHECK(objection_to_greeting({"hi!", "no word", make}) ==
        "a greeting is called 'hi!'; allowed: a letter, then letters, digits and '_'");
  CHECK(objection_to_greeting({"hi", "empty", nullptr}) == "its greeting 'hi' lacks the hook make");
  PluginRows rows;
  rows.add(Greeting{"hi", "one", make});
  rows.add(Greeting{"hi", "two", make});
  CHECK(objection_to(rows) == "brings the policy 'hi' twice");
  CHECK(Greeting::table().size() == 1);  // nothing was added
  rows.policies().front().add();
  CHECK(Greeting::table().find("hi") == 1);
}
