#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace strata {

/// The source lines of a kernel's memory instructions, by WarpInstruction::pc. The front end makes them, and
/// records keep them.
struct CodeLines {
  struct Place {
    std::string text;        ///< as the listing spells it: `ld.global.f32`; empty: not known
    std::uint32_t line = 0;  ///< of the listing; 0: not known
    std::uint32_t file = 0;  ///< of `files`, from 1; 0: the source is not known
    std::uint32_t source_line = 0;
  };
  std::string listing;             ///< the PTX file; empty: there is none
  std::vector<std::string> files;  ///< sources that `.loc` or a trace names
  std::map<std::uint32_t, Place> places;
};

/// To and from the text that records and pipes carry. Throws std::invalid_argument for a damaged text.
std::string encode(const CodeLines& lines);
std::shared_ptr<const CodeLines> decode_code_lines(const std::string& text);

}  // namespace strata
