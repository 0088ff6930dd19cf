#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/common/instruction_source.h"

namespace strata::traces {

/// Which launches of a stream are wanted: those that all members take.
struct LaunchSelection {
  static constexpr std::uint64_t to_the_end = UINT64_MAX;

  std::string kernels;                         ///< regular expression that names of kernels hold; empty: all
  std::uint64_t first = 0, last = to_the_end;  ///< counted from 0
  std::vector<std::uint64_t> only;             ///< ascending; empty: every one from `first` to `last`

  bool all() const { return kernels.empty() && first == 0 && last == to_the_end && only.empty(); }
  /// `kernels REGEX, launches 2:5`
  std::string text() const;
};

/// `FIRST:LAST`, `FIRST:` or a list such as `0,5,9`, for option `option`. Throws ConfigError.
void read_launches(const std::string& option, const std::string& text, LaunchSelection& selection);
/// Throws ConfigError when it is no regular expression.
void read_kernels(const std::string& option, const std::string& text, LaunchSelection& selection);

/// The launches of `source` that `selection` takes, numbered anew from 0. A launch comes after those that the
/// ones left out between them came after, so the order of what is left is that of the whole. Copies to the
/// device stay before the next launch that is left; those behind the last one go. `in_order`: what is left
/// out is fetched too and dropped, for sources in which a launch needs the ones before it (kernels that are
/// interpreted). Throws ConfigError, with what there is, when a launch is named that is not there or no name
/// fits; a source without launches stays as it is.
std::unique_ptr<InstructionSource> select_launches(std::unique_ptr<InstructionSource> source,
                                                   const LaunchSelection& selection, bool in_order = false);

/// The name of a kernel without its mangling.
std::string plain_name(const std::string& name);

}  // namespace strata::traces
