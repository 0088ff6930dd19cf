#include "platforms/reproduce/run_history.h"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace strata::platforms {
namespace {

using Words = std::vector<std::string>;

Words cells_of(const std::string& line) {
  Words cells;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
  return cells;
}

/// A comma-separated file by the names in its first line.
class CsvFile {
 public:
  explicit CsvFile(const std::string& path) : file_(path) {
    std::string line;
    if (std::getline(file_, line)) names_ = cells_of(line);
  }
  bool next() {
    std::string line;
    if (!std::getline(file_, line)) return false;
    cells_ = cells_of(line);
    return true;
  }
  std::string text(const std::string& name) const {
    const auto at = static_cast<std::size_t>(std::find(names_.begin(), names_.end(), name) - names_.begin());
    return at < cells_.size() ? cells_[at] : "";
  }
  std::uint64_t number(const std::string& name) const { return parse_integer(text(name)).value_or(0); }

 private:
  std::ifstream file_;
  Words names_, cells_;
};

struct Choice {
  Cycle at;
  bool is_private;
  std::uint64_t degree;
};

/// One for each decision: what was compared has a line each.
std::vector<Choice> read_choices(const std::string& path) {
  std::vector<Choice> choices;
  for (CsvFile file(path); file.next();) {
    const Choice choice{file.number("cycle"), file.text("mode") == "private", file.number("degree")};
    if (choices.empty() || choices.back().at != choice.at) choices.push_back(choice);
  }
  return choices;
}

/// A decision holds until the next one of its kernel, or the kernel's end.
void add_choices(const std::vector<Choice>& choices, KernelHistory& kernel) {
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (choices[i].at < kernel.began || choices[i].at >= kernel.ended) continue;
    const Cycle until = i + 1 < choices.size() ? std::min(choices[i + 1].at, kernel.ended) : kernel.ended;
    kernel.decided += until - choices[i].at;
    if (choices[i].is_private) kernel.decided_private += until - choices[i].at;
  }
}

}  // namespace

std::map<std::uint64_t, std::size_t> read_degrees(const std::string& directory) {
  std::map<std::uint64_t, std::size_t> degrees;
  for (const Choice& choice : read_choices(directory + "/llc_choices.csv")) ++degrees[choice.degree];
  return degrees;
}

std::vector<KernelHistory> read_history(const std::string& directory) {
  std::vector<KernelHistory> kernels;
  for (CsvFile file(directory + "/kernels.csv"); file.next();) {
    KernelHistory kernel;
    kernel.kernel = file.number("kernel");
    kernel.name = file.text("name");
    kernel.began = file.number("began");
    kernel.ended = std::max<Cycle>(kernel.began, file.number("ended"));
    kernel.complete = file.text("complete") == "yes";
    kernels.push_back(std::move(kernel));
  }
  const std::vector<Choice> choices = read_choices(directory + "/llc_choices.csv");
  for (KernelHistory& kernel : kernels) add_choices(choices, kernel);
  return kernels;
}

}  // namespace strata::platforms
