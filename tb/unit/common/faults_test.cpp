#include "models/common/faults.h"

#include "models/common/printable.h"
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

TEST_CASE("a word of any length is told apart from the names at once") {
  const std::vector<std::string> words(1000, std::string(90, 'w'));
  CHECK(nearest(std::string(1000000, 'w'), words).empty());
  CHECK(nearest(std::string(91, 'w'), words) == words.front());
}

TEST_CASE("what is quoted cannot drive a terminal") {
  CHECK(printable("a\033[31mb\r\x7f\n") == "a\\x1b[31mb\\x0d\\x7f\n");
  CHECK(printable(std::string("nul\0", 4)) == "nul\\x00");
  CHECK(printable("\u00e9 \u20ac \U0001F600") == "\u00e9 \u20ac \U0001F600");
  CHECK(printable("\xc2\x9b"
                  "31m") == "\\xc2\\x9b31m");                                 // CSI in one character
  CHECK(printable("\xff \xc3 \xe2\x82") == "\\xff \\xc3 \\xe2\\x82");         // cut characters
  CHECK(printable("\xc0\xaf \xed\xa0\x80") == "\\xc0\\xaf \\xed\\xa0\\x80");  // overlong, surrogate
  CHECK(to_text(Fault{{"a\033", 1, 0}, "no \033"}) == "a\\x1b:1: no \\x1b");
}

TEST_CASE("of long words and lines the middle is left out, and no character is cut") {
  const std::string word(400, 'a');
  CHECK(printable(word + " " + word) == word + " " + word);
  CHECK(printable("x " + std::string(1000, 'a') + " bad") ==
        "x " + std::string(200, 'a') + "...(700 bytes left out)..." + std::string(100, 'a') + " bad");
  std::string line;
  for (int i = 0; i < 100000; ++i) line += "ab ";
  CHECK(printable(line).size() < 4100);
  CHECK(printable(line + "\n" + line).size() < 8200);
  std::string euros = "a";
  for (int i = 0; i < 1000; ++i) euros += "\u20ac";
  const std::string cut = printable(euros);
  CHECK(printable(cut) == cut);
  CHECK(cut.find("\\x") == std::string::npos);
}
