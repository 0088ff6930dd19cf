#include "traces/selection.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cxxabi.h>
#include <map>
#include <regex>
#include <set>

#include "models/common/faults.h"
#include "models/common/streams.h"

namespace strata::traces {
namespace {

constexpr std::size_t most_names = 20;  // in a message

bool whole(std::string_view text, std::uint64_t& out) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
  return read.ec == std::errc{} && read.ptr == text.data() + text.size();
}

/// `0,5,9`: ascending numbers. False if the text is something else.
bool read_list(std::string_view text, std::vector<std::uint64_t>& numbers) {
  for (bool more = true; more;) {
    const std::size_t comma = text.find(',');
    std::uint64_t number = 0;
    if (!whole(text.substr(0, comma), number) || (!numbers.empty() && number <= numbers.back())) return false;
    numbers.push_back(number);
    more = comma != std::string_view::npos;
    if (more) text.remove_prefix(comma + 1);
  }
  return true;
}

/// `2:5`, `2:`, `0,5,9`
std::string launches_text(const LaunchSelection& selection) {
  std::string text;
  for (const std::uint64_t number : selection.only)
    text += (text.empty() ? "" : ",") + std::to_string(number);
  if (!text.empty()) return text;
  return std::to_string(selection.first) + ":" +
         (selection.last == LaunchSelection::to_the_end ? "" : std::to_string(selection.last));
}

std::string count_of(std::size_t launches) {
  return launches == 1 ? "1 launch, number 0"
                       : std::to_string(launches) + " launches, numbers 0 to " + std::to_string(launches - 1);
}

std::string names_of(const std::vector<KernelInfo>& kernels) {
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const KernelInfo& kernel : kernels)
    if (seen.insert(kernel.name).second) names.push_back(plain_name(kernel.name));
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < most_names; ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > most_names) text += " and " + std::to_string(names.size() - most_names) + " more";
  return text;
}

class SelectedSource final : public InstructionSource {
 public:
  SelectedSource(std::unique_ptr<InstructionSource> source, const LaunchSelection& selection, bool in_order)
      : source_(std::move(source)), text_(selection.text()), in_order_(in_order) {
    choose(selection);
    put_in_order();
    for (const MemcpyInfo& copy : source_->copies()) {
      const auto next = std::lower_bound(chosen_.begin(), chosen_.end(), copy.before_kernel);
      if (next == chosen_.end()) continue;
      copies_.push_back(copy);
      copies_.back().before_kernel = static_cast<std::uint32_t>(next - chosen_.begin());
    }
  }

  const std::vector<KernelInfo>& kernels() const override { return kernels_; }
  const std::vector<MemcpyInfo>& copies() const override { return copies_; }
  std::shared_ptr<const CtaTrace> fetch(std::uint32_t kernel, std::uint64_t cta) override {
    if (kernel >= chosen_.size())
      throw TraceError(
          Fault{{description(), 0, 0},
                "no thread block " + std::to_string(cta) + " in kernel " + std::to_string(kernel)});
    if (in_order_) pass_over(chosen_[kernel]);
    return source_->fetch(chosen_[kernel], cta);
  }
  std::string description() const override { return source_->description() + " (" + text_ + ")"; }
  std::uint64_t warp_instructions() const override {
    return chosen_.size() == source_->kernels().size() ? source_->warp_instructions() : 0;
  }
  std::vector<SourceGap> gaps() const override {
    std::vector<SourceGap> own;
    for (SourceGap& gap : source_->gaps()) {
      const auto found = std::lower_bound(chosen_.begin(), chosen_.end(), gap.kernel);
      if (found == chosen_.end() || *found != gap.kernel) continue;
      gap.kernel = static_cast<std::uint32_t>(found - chosen_.begin());
      own.push_back(std::move(gap));
    }
    return own;
  }

 private:
  void choose(const LaunchSelection& selection);
  void put_in_order();
  void pass_over(std::uint32_t next);

  std::unique_ptr<InstructionSource> source_;
  const std::string text_;
  const bool in_order_;
  std::vector<std::uint32_t> chosen_;  // ids in source_, ascending
  std::vector<KernelInfo> kernels_;
  std::vector<MemcpyInfo> copies_;
  std::uint32_t passed_ = 0;  // earlier launches of source_ have been fetched, or are selected
};

void SelectedSource::choose(const LaunchSelection& selection) {
  const std::vector<KernelInfo>& all = source_->kernels();
  const bool open = selection.last == LaunchSelection::to_the_end;
  if (selection.first >= all.size() || (!open && selection.last >= all.size()))
    throw ConfigError("--launches " + launches_text(selection) + ": there " +
                      (all.size() == 1 ? "is " : "are ") + count_of(all.size()) + ", in " +
                      source_->description());
  const std::size_t end = open ? all.size() : static_cast<std::size_t>(selection.last) + 1;
  const std::regex wanted(selection.kernels);
  const auto is_wanted = [&](std::size_t k) {
    return selection.only.empty() || std::binary_search(selection.only.begin(), selection.only.end(), k);
  };
  for (auto k = static_cast<std::size_t>(selection.first); k < end; ++k) {
    if (!is_wanted(k)) continue;
    if (selection.kernels.empty() || std::regex_search(plain_name(all[k].name), wanted) ||
        std::regex_search(all[k].name, wanted))
      chosen_.push_back(static_cast<std::uint32_t>(k));
  }
  if (!chosen_.empty()) return;
  const std::vector<KernelInfo> looked(all.begin() + static_cast<std::ptrdiff_t>(selection.first),
                                       all.begin() + static_cast<std::ptrdiff_t>(end));
  throw ConfigError("--kernels '" + selection.kernels + "' is in no name of a kernel" +
                    (looked.size() == all.size() ? "" : " of these launches") + "; there are " +
                    names_of(looked));
}

/// A launch inherits the predecessors of omitted launches before it.
void SelectedSource::put_in_order() {
  using Latest = std::map<std::uint64_t, std::uint32_t>;  // new id of the last launch of each stream
  const auto add = [](Latest& to, const Latest& from) {
    for (const auto& [stream, id] : from) to[stream] = std::max(to[stream], id);
  };
  const std::vector<KernelInfo>& all = source_->kernels();
  std::vector<Latest> stands_for(all.size());  // for each launch
  std::map<std::uint64_t, std::uint32_t> last_of_stream;
  std::size_t next = 0;
  for (std::uint32_t k = 0; k < all.size(); ++k) {
    Latest before;
    for (const std::uint32_t other : all[k].after)
      if (other < k) add(before, stands_for[other]);
    if (const auto last = last_of_stream.find(all[k].stream); last != last_of_stream.end())
      add(before, stands_for[last->second]);
    last_of_stream[all[k].stream] = k;
    const bool of_default = all[k].stream == default_stream, blocks = is_blocking(all[k].stream);
    for (const auto& [stream, last] : last_of_stream)
      if ((of_default && is_blocking(stream)) || (blocks && stream == default_stream))
        add(before, stands_for[last]);
    if (next == chosen_.size() || chosen_[next] != k) {
      stands_for[k] = std::move(before);
      continue;
    }
    KernelInfo kernel = all[k];
    kernel.id = static_cast<std::uint32_t>(next++);
    kernel.after.clear();
    before.erase(kernel.stream);             // ordered anyway
    for (const auto& [stream, id] : before)  // the default stream is ordered with the others anyway
      if (!(of_default && is_blocking(stream)) && !(blocks && stream == default_stream))
        kernel.after.push_back(id);
    std::sort(kernel.after.begin(), kernel.after.end());
    stands_for[k] = {{kernel.stream, kernel.id}};
    kernels_.push_back(std::move(kernel));
  }
}

void SelectedSource::pass_over(std::uint32_t next) {
  for (; passed_ < next; ++passed_) {
    if (std::binary_search(chosen_.begin(), chosen_.end(), passed_)) continue;
    for (std::uint64_t cta = 0; cta < source_->kernels()[passed_].ctas(); ++cta) source_->fetch(passed_, cta);
  }
}

}  // namespace

std::string LaunchSelection::text() const {
  std::string text;
  if (!kernels.empty()) text = "kernels " + kernels;
  if (first != 0 || last != to_the_end)
    text += (text.empty() ? "launches " : ", launches ") + launches_text(*this);
  return text;
}

void read_launches(const std::string& option, const std::string& text, LaunchSelection& selection) {
  const std::size_t colon = text.find(':');
  const std::string_view all = text;
  const bool open = colon != std::string::npos && colon + 1 == text.size();
  selection.last = LaunchSelection::to_the_end;
  selection.only.clear();
  if (colon == std::string::npos && read_list(all, selection.only)) {
    selection.first = selection.only.front();
    selection.last = selection.only.back();
    return;
  }
  if (colon == std::string::npos || !whole(all.substr(0, colon), selection.first) ||
      (!open && (!whole(all.substr(colon + 1), selection.last) || selection.last < selection.first)))
    throw ConfigError("--" + option +
                      ": expected FIRST:LAST, such as 10:20, or 10: to the end, or numbers that rise, "
                      "such as 0,5,9, found '" +
                      text + "'");
}

void read_kernels(const std::string& option, const std::string& text, LaunchSelection& selection) {
  if (text.empty()) throw ConfigError("--" + option + ": the regular expression is empty");
  try {
    const std::regex checked(text);
  } catch (const std::regex_error& error) {
    throw ConfigError("--" + option + ": '" + text + "' is no regular expression: " + error.what());
  }
  selection.kernels = text;
}

std::unique_ptr<InstructionSource> select_launches(std::unique_ptr<InstructionSource> source,
                                                   const LaunchSelection& selection, bool in_order) {
  if (selection.all() || source->kernels().empty()) return source;
  return std::make_unique<SelectedSource>(std::move(source), selection, in_order);
}

std::string plain_name(const std::string& name) {
  int status = 0;
  char* const text = ::abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string plain = status == 0 && text != nullptr ? text : name;
  std::free(text);
  return plain;
}

}  // namespace strata::traces
