#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/common/instruction_source.h"

namespace strata::traces {

/// Selects launches of a stream: those that match all members.
struct LaunchSelection {
  static constexpr std::uint64_t to_the_end = UINT64_MAX;

  std::string kernels;  ///< regular expression searched in names of kernels; empty: all
  std::uint64_t first = 0, last = to_the_end;  ///< counted from 0
  std::vector<std::uint64_t> only;             ///< ascending; empty: every one from `first` to `last`

  bool all() const { return kernels.empty() && first == 0 && last == to_the_end && only.empty(); }
  /// `kernels REGEX, launches 2:5`
  std::string text() const;
};

/// `FIRST:LAST`, `FIRST:` or a list such as `0,5,9`, for option `option`. Throws ConfigError.
void read_launches(const std::string& option, const std::string& text, LaunchSelection& selection);
/// Throws ConfigError if it is no regular expression.
void read_kernels(const std::string& option, const std::string& text, LaunchSelection& selection);

/// The launches of `source` that `selection` takes, numbered anew from 0. Their order is that of the whole: a
/// launch also comes after the launches that omitted ones in between came after. Copies to the device stay
/// before the next selected launch; copies after the last one are omitted. `in_order`: omitted launches are
/// fetched and dropped, for sources whose launches depend on earlier ones (interpreted kernels). Throws
/// ConfigError, with the available launches, if a selected number or name does not exist; a source without
/// launches is unchanged.
std::unique_ptr<InstructionSource> select_launches(std::unique_ptr<InstructionSource> source,
                                                   const LaunchSelection& selection, bool in_order = false);

/// The name of a kernel without its mangling.
std::string plain_name(const std::string& name);

}  // namespace strata::traces
