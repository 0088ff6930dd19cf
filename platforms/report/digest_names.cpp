#include "platforms/report/digest_names.h"

#include "platforms/report/digest_1.h"

namespace strata::platforms {

const DigestNames& DigestNames::get() {
  static const DigestNames names(digest_1);
  return names;
}

DigestNames::DigestNames(std::string_view text) {
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() + 1);
    const auto word = [&line] {
      const std::string_view first = line.substr(0, line.find(' '));
      line.remove_prefix(first.size() == line.size() ? line.size() : first.size() + 1);
      return first;
    };
    const std::string_view group = word(), name = word(), former = word();
    if (group == "ledger")
      ledger_.push_back(name);
    else if (group == "summary")
      summary_.insert(name);
    else
      kinds_[group][name] = former.empty() ? name : former;
  }
}

std::optional<std::string_view> DigestNames::statistic(std::string_view kind, std::string_view name) const {
  const auto names = kinds_.find(kind);
  if (names == kinds_.end()) return name;
  const auto found = names->second.find(name);
  if (found == names->second.end()) return std::nullopt;
  return found->second;
}

std::string_view DigestNames::now_called(std::string_view former) const {
  for (const auto& [kind, names] : kinds_)
    for (const auto& [name, hashed] : names)
      if (hashed == former && name != former) return name;
  return {};
}

}  // namespace strata::platforms
