#include "models/common/code_lines.h"

#include <stdexcept>

#include "tb/support/catch.h"

using namespace strata;

TEST_CASE("lines of code survive a text, with names of files that have blanks and places that lack parts") {
  CodeLines lines;
  lines.listing = "my kernels.ptx";
  lines.files = {"src/a b.cu", ""};
  lines.places[0x10] = {"ld.global.nc.f32", 12, 1, 34};
  lines.places[0x20] = {"", 0, 2, 7};
  lines.places[0xffffff0] = {"st.global.u8", 13, 0, 0};
  const auto back = decode_code_lines(encode(lines));
  CHECK(back->listing == lines.listing);
  CHECK(back->files == lines.files);
  REQUIRE(back->places.size() == 3);
  CHECK(back->places.at(0x10).text == "ld.global.nc.f32");
  CHECK(back->places.at(0x10).line == 12);
  CHECK(back->places.at(0x10).source_line == 34);
  CHECK(back->places.at(0x20).text.empty());
  CHECK(back->places.at(0x20).file == 2);
  CHECK(back->places.at(0xffffff0).line == 13);
}

TEST_CASE("damaged lines of code are refused") {
  for (const char* text : {"", "a", "a\n", "a\nx\n", "a\n99999999999\n", "a\n2\nonly one\n",
                           "a\n0\n16 1 1 1 ld\n", "a\n0\n16 1\n", "a\n0\nx 1 0 0 ld\n"})
    CHECK_THROWS_AS(decode_code_lines(text), std::invalid_argument);
}
