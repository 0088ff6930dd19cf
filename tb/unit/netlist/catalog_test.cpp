#include "platforms/engine/netlist/catalog.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "platforms/engine/netlist/data_folders.h"
#include "platforms/engine/netlist/drawing.h"
#include "platforms/engine/netlist/expression.h"
#include "platforms/engine/netlist/netlist.h"
#include "tb/support/catch.h"
#include "tb/support/temp_folder.h"
#include "tb/support/toy_modules.h"

using strata::ConfigError;
using strata::platforms::describe_module;
using strata::platforms::describe_module_markdown;
using strata::platforms::Expression;
using strata::platforms::fill_generated;
using strata::platforms::Netlist;
using strata::platforms::require_module;
using strata::platforms::SyntaxFault;
using strata::tb::TempFolder;
using strata::tb::toy_modules;

namespace {

std::string message_of(void (*action)()) {
  try {
    action();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::int64_t value(const std::string& text) {
  const Expression expression = Expression::read_all(text);
  std::vector<std::int64_t> values(expression.names().size(), 7);  // every name is 7
  return expression.evaluate(values).value();
}

std::string syntax(const std::string& text) {
  try {
    Expression::read_all(text);
  } catch (const SyntaxFault& fault) {
    return std::to_string(fault.offset) + ": " + fault.message;
  }
  return "";
}

Netlist toy() {
  Netlist netlist("a & b", toy_modules());
  netlist.add_clock("core", "1 GHz").add_clock("noc", "1 GHz").set_param("address_map.channels", 2);
  netlist.add_instance("src", "toy_source", 2).add_instance("snk", "toy_sink", 4).set_param("src.ways", 8);
  netlist.bind("src[i].out[o] -> snk[i * 2 + o].in");
  return netlist;
}

}  // namespace

TEST_CASE("Index expressions: precedence, signs, division towards zero") {
  CHECK(value("1 + 2 * 3") == 7);
  CHECK(value("(1 + 2) * 3") == 9);
  CHECK(value("7 / 2") == 3);
  CHECK(value("-7 / 2") == -3);  // as in C
  CHECK(value("-7 % 2") == -1);
  CHECK(value("10 - 4 - 3") == 3);
  CHECK(value("2 * i % 5") == 4);  // 14 % 5
  CHECK(value("sm.sms - -1") == 8);
  CHECK(syntax("1 +") == "3: expected a number, an index name or '(', found the end");
  CHECK(syntax("(1") == "2: expected ')', found the end");
  CHECK(syntax("1 2") == "2: expected the end, found '2'");
  CHECK(syntax("8ways") == "1: number followed by 'ways'");
  CHECK(syntax("99999999999999999999") == "18: number too large");
  CHECK(has(syntax(std::string(100, '(')), "nested too deeply"));
  CHECK_FALSE(Expression::read_all("1 / 0").evaluate({}).has_value());
  CHECK_FALSE(Expression::read_all("9223372036854775807 + 1").evaluate({}).has_value());
  CHECK_FALSE(Expression::read_all("(-9223372036854775807 - 1) / -1").evaluate({}).has_value());
}

TEST_CASE("A module's description shows sockets, parameters, statistics and laws") {
  const std::string text = describe_module(*toy_modules()[0]);
  CHECK(has(text, "toy_source: sends requests\nrole: none, clock: core, timing: at\n"));
  CHECK(has(text, "  out     initiator  2      tlm       requests\n"));
  CHECK(has(text,
            "  ways       4            1 to 16, a power of two  ways                ways of its table\n"));
  CHECK(has(text, "  requests   counter  requests  requests that came\n"));
  CHECK(has(text, "  requests >= 0\n"));
  const std::string markdown = describe_module_markdown(*toy_modules()[1]);
  CHECK(has(markdown, "| `control` | control output | 1 (optional) | toy | asks the controller |\n"));
  CHECK(has(markdown, "| `latency` | 4 | 1 to 1000 | cycles | pipeline depth |\n"));
  CHECK(has(markdown, "- `requests >= 0`\n"));
  CHECK(
      has(strata::platforms::list_modules(toy_modules()), "toy_router   none  noc    passes requests on\n"));
}

TEST_CASE("a module that is not there is answered with the nearest") {
  CHECK(has(message_of([] { require_module("toy_snk", toy_modules()); }),
            "no module 'toy_snk' (did you mean 'toy_sink'?)"));
}

TEST_CASE("Generated tables of docs pages are filled in and stay as they are when filled again") {
  const std::string page =
      "# Sink\n\n<!-- generated: modules toy_sink -->\nold\n<!-- end generated -->\n\ntext\n\n"
      "<!-- generated: modules -->\n<!-- end generated -->\n";
  const std::string filled = fill_generated(page, "sink.md", toy_modules());
  CHECK(has(filled, "# Sink\n\n<!-- generated: modules toy_sink -->\nModule `toy_sink`: takes requests."));
  CHECK(has(filled, "<!-- end generated -->\n\ntext\n"));
  CHECK(has(filled, "| `toy_router` | none | noc | passes requests on |\n"));
  CHECK_FALSE(has(filled, "old"));
  CHECK(fill_generated(filled, "sink.md", toy_modules()) == filled);
  CHECK(message_of([] {
          fill_generated("a\n<!-- generated: modules toy_sikn -->\n<!-- end generated -->", "p.md",
                         toy_modules());
        }) == "p.md:2:1: no module 'toy_sikn' (did you mean 'toy_sink'?)");
  CHECK(has(message_of([] { fill_generated("<!-- generated: modules toy_sink -->", "p.md", toy_modules()); }),
            "p.md:1:1: "));
}

TEST_CASE("Generated tables of the docs are up to date") {
  const std::vector<std::string> stale = strata::platforms::stale_pages("docs", false);
  for (const std::string& page : stale) UNSCOPED_INFO(page + ": run strata_update_docs");
  CHECK(stale.empty());
}

TEST_CASE("The drawing names every box once and every bundle of connections with its count") {
  const auto netlist = toy().resolve();
  const std::string dot = strata::platforms::to_dot(netlist);
  CHECK(has(dot, "rankdir=LR"));
  CHECK(has(dot, "a &amp; b"));
  CHECK(has(dot, "<b>src&#160;</b>&#215;&#160;2"));
  CHECK(has(dot, "ways: 8"));
  // The label stands between the halves of its arrow, which nothing crosses.
  CHECK(has(dot, "label=< out &#8594; in<br/><b>&#215;&#160;4</b> >"));
  CHECK(has(dot, "n0 -> e0:w [arrowhead=none, "));
  CHECK(has(dot, "e0:e -> n1 ["));
  const std::string table = strata::platforms::to_table(netlist);
  CHECK(has(table, "  src      2 x toy_source  core  ways=8\n"));
  CHECK(has(table, "      4 x  src[i].out[o] -> snk[i * 2 + o].in\n\n6 modules, 4 connections\n"));
  const std::string expanded = strata::platforms::to_dot(netlist, {true});
  CHECK(has(expanded, "m0_1:e -> m1_3:w ["));
  CHECK(has(expanded, "label=\"snk[3]\""));
}

TEST_CASE("A drawing has the colours of report pages, and what all instances hold or move together") {
  const std::string dot = strata::platforms::to_dot(
      Netlist::load({strata::platforms::find_platform("isca19/shared")}, {}).resolve());
  // 64 slices of 96 KiB; 80 L1s of 48 KiB; 8 controllers that move 128 B in a cycle of 924 MHz.
  CHECK(has(dot, "in all: 6 MiB<"));
  CHECK(has(dot, "in all: 3.75 MiB<"));
  CHECK(has(dot, "in all: 946 GB/s<"));
  // --p-llc: #159078 of platforms/report/page/assets/page.css with 70 % of white.
  CHECK(has(dot, "bgcolor=\"#b9ded7\"><font point-size=\"15\"><b>llc"));
  // No arrow has a label of its own.
  std::istringstream lines(dot);
  for (std::string line; std::getline(lines, line);) CHECK_FALSE((has(line, " -> ") && has(line, "label=")));
}

TEST_CASE("Drawing to a file that cannot be written is refused") {
  try {
    strata::platforms::write_svg(toy().resolve(), "/nonexistent/folder/x.svg");
    FAIL("no fault");
  } catch (const ConfigError& error) {
    CHECK(has(error.what(), "cannot write '/nonexistent/folder/x.svg'"));
  }
}
