#include "platforms/studies/reproduce/run_history.h"

#include <algorithm>

#include "platforms/studies/reproduce/csv_file.h"

namespace strata::platforms {
namespace {

struct Choice {
  Cycle at;
  bool is_private;
  std::uint64_t degree;
};

/// One for each decision: the file has one line for each option compared.
std::vector<Choice> read_choices(const std::string& path) {
  std::vector<Choice> choices;
  for (CsvFile file(path); file.next();) {
    const Choice choice{file.number("cycle"), file.text("mode") == "private", file.number("degree")};
    if (choices.empty() || choices.back().at != choice.at) choices.push_back(choice);
  }
  return choices;
}

/// A decision holds until the next one of its kernel, or until the kernel's end.
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
