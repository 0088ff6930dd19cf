#include "models/common/code_lines.h"

#include <sstream>
#include <stdexcept>

namespace strata {

// Names stand alone in their lines: whatever a file is called, but for a line break.
std::string encode(const CodeLines& lines) {
  std::string text = lines.listing + "\n" + std::to_string(lines.files.size()) + "\n";
  for (const std::string& file : lines.files) text += file + "\n";
  for (const auto& [pc, place] : lines.places)
    text += std::to_string(pc) + " " + std::to_string(place.line) + " " + std::to_string(place.file) + " " +
            std::to_string(place.source_line) + " " + place.text + "\n";
  return text;
}

std::shared_ptr<const CodeLines> decode_code_lines(const std::string& text) {
  const auto damaged = [] { return std::invalid_argument("damaged lines of code"); };
  std::istringstream in(text);
  auto lines = std::make_shared<CodeLines>();
  std::string line;
  std::size_t files = 0;
  if (!std::getline(in, lines->listing) || !(in >> files) || files > text.size()) throw damaged();
  std::getline(in, line);
  for (std::size_t i = 0; i < files; ++i) {
    if (!std::getline(in, line)) throw damaged();
    lines->files.push_back(line);
  }
  while (std::getline(in, line)) {
    std::istringstream row(line);
    std::uint32_t pc = 0;
    CodeLines::Place place;
    if (!(row >> pc >> place.line >> place.file >> place.source_line) || place.file > files) throw damaged();
    row >> place.text;
    lines->places.emplace(pc, std::move(place));
  }
  return lines;
}

}  // namespace strata
