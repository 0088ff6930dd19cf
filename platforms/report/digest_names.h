#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace strata::platforms {

/// Names that a digest takes into account. The list is `digest_1.txt`: a counter, ledger row or summary
/// figure that is added later is not in it, so published digests stay valid. Each line has a group (`ledger`,
/// `summary`, or a kind of module), a name, and for a renamed one the name that the digest still uses.
class DigestNames {
 public:
  static const DigestNames& get();

  /// The name to hash for a counter or histogram of a kind of module; empty: it is not part of the digest.
  /// All statistics of a kind that is not in the list, such as one of a plug-in, are part of it.
  std::optional<std::string_view> statistic(std::string_view kind, std::string_view name) const;
  /// The name of today of a statistic that was called `former`; empty: none was.
  std::string_view now_called(std::string_view former) const;
  bool has_summary(std::string_view name) const { return summary_.count(name) != 0; }
  /// Ledger rows that are identified by their order, not by their name.
  const std::vector<std::string_view>& ledger() const { return ledger_; }

 private:
  explicit DigestNames(std::string_view text);
  std::map<std::string_view, std::map<std::string_view, std::string_view>> kinds_;
  std::set<std::string_view> summary_;
  std::vector<std::string_view> ledger_;
};

}  // namespace strata::platforms
