#include "platforms/engine/application/kernel_table.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>

#include "models/common/text.h"

namespace strata::platforms {
namespace {

/// `reduce` of `_Z6reducePfi`: short enough for a column.
std::string short_name(const std::string& name) {
  int status = 0;
  char* const plain = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string text = status == 0 && plain != nullptr ? plain : name;
  std::free(plain);
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {  // without its parameters
    depth += text[i] == '<' ? 1 : text[i] == '>' ? -1 : 0;
    if (text[i] == '(' && depth == 0 && i > 0 && text.compare(i, 11, "(anonymous ") != 0) {
      text.resize(i);
      break;
    }
  }
  if (text.compare(0, 5, "void ") == 0) text.erase(0, 5);
  constexpr std::size_t widest = 44;
  if (text.size() > widest) text = text.substr(0, widest - 3) + "...";
  return text;
}

}  // namespace

void KernelTable::launch(const std::string& name) {
  const auto found = by_name_.find(name);
  last_ = found != by_name_.end() ? found->second : rows_.size();
  if (found == by_name_.end()) {
    by_name_[name] = rows_.size();
    rows_.emplace_back();
    rows_.back().name = name;
  }
  ++rows_[last_].launches;
  ++launches_;
}

void KernelTable::add(const cuda::CtasMessage& ctas) {
  Row& row = rows_[last_];
  row.recorded = true;
  row.accesses += ctas.accesses;
  row.lines += ctas.lines;
  row.shared += ctas.shared;
}

void KernelTable::ended(const cuda::LaunchEnded& counts) {
  Row& row = rows_[last_];
  row.warp_instructions += counts.warp_instructions;
  row.thread_instructions += counts.thread_instructions;
  row.seconds += counts.seconds;
  thread_instructions_ += counts.thread_instructions;
  seconds_ += counts.seconds;
}

std::string KernelTable::text() const {
  if (rows_.empty()) return "no kernel was launched\n";
  std::vector<const Row*> order;
  for (const Row& row : rows_) order.push_back(&row);
  std::stable_sort(order.begin(), order.end(), [](const Row* a, const Row* b) {
    return a->thread_instructions > b->thread_instructions;
  });
  char line[256];
  std::snprintf(line, sizeof line, "%-44s %8s %11s %6s %11s %6s %11s %8s\n", "kernel", "launches",
                "M thr.instr", "lanes", "accesses", "lines", "shared acc.", "s");
  std::string all = line;
  for (const Row* row : order) {
    const auto ratio = [](const char* format, double sum, std::uint64_t count) {
      return count == 0 ? "-" : formatted(format, sum / static_cast<double>(count));
    };
    const auto count = [row](std::uint64_t value) { return row->recorded ? std::to_string(value) : "-"; };
    std::snprintf(
        line, sizeof line, "%-44s %8llu %11.2f %6s %11s %6s %11s %8.3f\n", short_name(row->name).c_str(),
        static_cast<unsigned long long>(row->launches), static_cast<double>(row->thread_instructions) / 1e6,
        ratio("%.1f", static_cast<double>(row->thread_instructions), row->warp_instructions).c_str(),
        count(row->accesses).c_str(), ratio("%.2f", static_cast<double>(row->lines), row->accesses).c_str(),
        count(row->shared).c_str(), row->seconds);
    all += line;
  }
  std::snprintf(line, sizeof line, "%llu launches, %.1f M thread instructions interpreted in %.2f s\n",
                static_cast<unsigned long long>(launches_), static_cast<double>(thread_instructions_) / 1e6,
                seconds_);
  return all + line;
}

}  // namespace strata::platforms
