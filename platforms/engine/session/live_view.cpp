#include "platforms/engine/session/live_view.h"

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <sys/ioctl.h>
#include <unistd.h>

#include "models/common/text.h"
#include "platforms/engine/session/wait_graph.h"
#include "platforms/report/text_table.h"
#include "platforms/report/verdict.h"

namespace strata::platforms {
namespace {

struct Size {
  std::size_t rows = 24, columns = 80;
};
Size size_of(int terminal) {
  struct winsize known {};
  if (::ioctl(terminal, TIOCGWINSZ, &known) != 0 || known.ws_row == 0 || known.ws_col == 0) return {};
  return {known.ws_row, known.ws_col};
}

std::size_t characters_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

/// At most `columns` characters of a UTF-8 text: a longer line would take two on the terminal.
std::string cut(const std::string& text, std::size_t columns) {
  std::size_t characters = 0, at = 0;
  for (; at < text.size(); ++at)
    if ((text[at] & 0xc0) != 0x80 && ++characters > columns) break;
  return text.substr(0, at);
}

/// The text, or as many of its words as fit and a mark that it was cut.
std::string fitting(const std::string& text, std::size_t columns) {
  if (characters_of(text) <= columns) return text;
  std::string part = cut(text, columns == 0 ? 0 : columns - 1);
  if (text[part.size()] != ' ') {
    const std::size_t space = part.rfind(' ');
    part.resize(space == std::string::npos ? 0 : space);
  }
  while (!part.empty() && std::string(" ,:(").find(part.back()) != std::string::npos) part.pop_back();
  return cut(part + "…", columns);
}

/// Adds the text in lines of whole words, with the indent on all but the first.
void add_wrapped(std::vector<std::string>& lines, const std::string& text, std::size_t columns,
                 const std::string& indent = "  ") {
  std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string::npos) return lines.push_back(text);
  std::string line = text.substr(0, begin);
  bool has_word = false;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (has_word && characters_of(line) + 1 + characters_of(word) > columns) {
      lines.push_back(line);
      line = indent;
      has_word = false;
    }
    line += (has_word ? " " : "") + word;
    has_word = true;
    begin = end == text.size() ? end : end + 1;
  }
  lines.push_back(line);
}

std::string padded(std::string text, std::size_t width) {
  const std::size_t characters = characters_of(text);
  if (characters < width) text.append(width - characters, ' ');
  return text;
}

/// `name  bar  48.3 %  words`; with a short bar on a narrow terminal.
std::string row(const std::string& name, double share, const std::string& words, std::size_t columns,
                std::size_t width = 22) {
  const int cells = std::clamp(static_cast<int>(columns) / 3 - 18, 8, 20);
  const std::string shown = bar(std::clamp(share, 0.0, 1.0), cells);
  const std::string head = "  " + padded(fitting(name, width), width) + " " +
                           padded(shown, static_cast<std::size_t>(cells)) + " " + padded(percent(share), 8);
  const std::size_t taken = characters_of(head);
  return taken >= columns ? head : head + fitting(words, columns - taken);
}

/// Writes everything, and retries after a signal.
void write_all(int file, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t written = ::write(file, text.data() + at, text.size() - at);
    if (written <= 0 && errno != EINTR) return;  // the terminal is closed: stop drawing
    if (written > 0) at += static_cast<std::size_t>(written);
  }
}

}  // namespace

LiveView::LiveView(const Platform& platform, std::string title, int terminal)
    : platform_(platform), title_(std::move(title)), terminal_(terminal) {}

LiveView::Look LiveView::look(const ProgressLine::State& state, double seconds) const {
  for (const PlatformInstance& instance : platform_.instances())
    instance.block->settle(instance.block->clock().now());
  return {read_stats(platform_), read_ledger(platform_), state, seconds};
}

void LiveView::add_progress(Lines& lines, const Look& now, std::size_t columns) const {
  add_wrapped(lines, title_, columns);
  if (now.state.share > 0) {
    const auto width = static_cast<int>(std::min<std::size_t>(columns, 72) - 10);
    lines.push_back("[" + bar(std::min(1.0, now.state.share), width) + "] " + percent(now.state.share));
  }
  add_wrapped(lines, ProgressLine::text(now.state, now.seconds), columns);
  const auto cycles = static_cast<double>(now.state.cycles - before_.state.cycles);
  const auto instructions =
      static_cast<double>(now.state.thread_instructions - before_.state.thread_instructions);
  std::string speed;
  if (now.state.thread_instructions > 0 && cycles > 0)
    speed =
        "IPC " + rounded(instructions / cycles) + " now, " +
        rounded(static_cast<double>(now.state.thread_instructions) / static_cast<double>(now.state.cycles)) +
        " in the mean; ";
  const double seconds = now.seconds - before_.seconds;
  if (seconds > 0) speed += rounded(cycles / seconds / 1000) + " k cycles/s now";
  lines.push_back(speed);
}

void LiveView::add_ledger(Lines& lines, const LedgerTotals& ledger, std::size_t most,
                          std::size_t columns) const {
  const LedgerTotals::Sums& loads = ledger.groups[LedgerTotals::loads];
  if (loads.count == 0 || loads.latency == 0) {
    lines.emplace_back("no load has returned since the last drawing");
    return;
  }
  const auto count = static_cast<double>(loads.count), latency = static_cast<double>(loads.latency);
  lines.push_back("loads take " + rounded(latency / count) + " cycles; where they spend them");
  const LedgerPlaces& places = platform_.ledger_places();
  std::vector<Place> rows = places.on_the_way();
  std::stable_sort(rows.begin(), rows.end(),
                   [&](Place a, Place b) { return loads.cycles[a] > loads.cycles[b]; });
  for (const Place place : rows) {
    const auto cycles = static_cast<double>(loads.cycles[place]);
    if (cycles == 0 || most-- == 0) return;
    lines.push_back(row(places.name(place), cycles / latency, rounded(cycles / count) + " cycles", columns));
  }
}

void LiveView::add_waits(Lines& lines, std::size_t rows, std::size_t columns) const {
  const WaitGraph graph(platform_);
  lines.emplace_back("waits between blocks now");
  Lines oldest;
  std::istringstream parts(graph.oldest());
  for (std::string part; std::getline(parts, part);)
    if (!part.empty()) add_wrapped(oldest, "  " + part, columns, "    ");
  const std::size_t taken = lines.size() + oldest.size();
  std::size_t left = rows - std::min(rows, taken);
  for (const WaitGraph::Group& group : graph.groups()) {
    if (left-- == 0) break;
    const std::string words = std::to_string(group.occupancy) +
                              (group.capacity > 0 ? " of " + std::to_string(group.capacity) : "") + " in " +
                              std::to_string(group.blocks) + (group.to.empty() ? "" : " -> " + group.to);
    const double filled = group.capacity > 0 ? static_cast<double>(group.occupancy) / group.capacity : 0;
    lines.push_back(row(group.from + " " + group.what, filled, words, columns, 36));
  }
  lines.insert(lines.end(), oldest.begin(), oldest.end());
}

LiveView::Lines LiveView::lines(const Look& now, std::size_t rows, std::size_t columns) const {
  const bool first = before_.tables.empty();
  const auto tables = first ? now.tables : difference(now.tables, before_.tables);
  const auto ledger = first ? now.ledger : difference(now.ledger, before_.ledger);
  const Verdict verdict = judge({platform_.netlist(), tables, ledger, platform_.ledger_places(),
                                 now.state.cycles - before_.state.cycles});
  Lines lines;
  add_progress(lines, now, columns);
  add_wrapped(
      lines,
      "limit now: " + (verdict.rule == Verdict::Rule::latency ? "" : verdict.limit + ": ") + verdict.sentence,
      columns);
  const std::size_t each = std::clamp<std::size_t>((rows - std::min<std::size_t>(rows, 9)) / 4, 2, 7);
  add_ledger(lines, ledger, each, columns);
  lines.emplace_back("used since the last drawing");
  std::size_t left = each;
  for (const ResourceLoad& load : verdict.ranking) {
    if (load.busy() < 0.005 || left-- == 0) break;
    lines.push_back(row(load.name(), load.busy(), std::string(load.resource.sentence), columns));
  }
  add_waits(lines, rows, columns);
  if (lines.size() > rows) lines.resize(rows);
  for (std::string& line : lines) line = cut(line, columns);
  return lines;
}

void LiveView::draw(const ProgressLine::State& state, double seconds) {
  const Size size = size_of(terminal_);
  Look now = look(state, seconds);
  // The last row stays free: a line end there would scroll the terminal.
  const Lines all = lines(now, std::max<std::size_t>(size.rows, 2) - 1, size.columns);
  before_ = std::move(now);
  std::string text = drawn_ == 0 ? "" : "\x1b[" + std::to_string(drawn_) + "A";
  for (const std::string& line : all) text += "\r" + line + "\x1b[K\n";
  text += "\x1b[J";
  drawn_ = all.size();
  write_all(terminal_, text);
}

void LiveView::erase() {
  if (drawn_ == 0) return;
  write_all(terminal_, "\x1b[" + std::to_string(drawn_) + "A\r\x1b[J");
  drawn_ = 0;
}

}  // namespace strata::platforms
