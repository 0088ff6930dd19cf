#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/instruction_source.h"
#include "traces/accelsim/line_reader.h"

namespace strata::traces {

/// Host calls in a list of kernels. Copies to the device are kept. Events and waits of streams and of the
/// host order the launches. All other calls are counted by name.
class LaunchOrder {
 public:
  /// False if `line` is no known call. Throws TraceError if its operands are invalid.
  bool take(const LineReader& lines, std::string_view line);
  /// Sets `after` and `priority` of the next launch, and marks its stream if it was created as non-blocking.
  void launch(KernelInfo& kernel);

  const std::vector<MemcpyInfo>& copies() const { return copies_; }
  /// Skipped calls by name and number: a line for those without effect, and one for those that move data.
  std::vector<std::string> notes() const;
  /// Known calls, for the nearest one in a message.
  static std::vector<std::string> names();

 private:
  using Launches = std::map<std::uint64_t, std::uint32_t>;  ///< last launch of each stream
  struct Call {
    std::string_view line, name, kind;  ///< as written; `kind` without `cuda` and version
    std::vector<std::string_view> operands;
  };

  static Call parse(std::string_view line);
  void copy(const LineReader& lines, const Call& call);
  bool order(const LineReader& lines, const Call& call);
  void record(const LineReader& lines, std::uint64_t event, std::uint64_t stream);
  void host_waits_for(const Launches& launches);
  /// Launches that have ended when all work in the stream so far has.
  Launches over(std::uint64_t stream) const;
  bool blocks(std::uint64_t stream) const { return non_blocking_.count(stream) == 0; }

  std::vector<MemcpyInfo> copies_;
  std::uint32_t launches_ = 0;
  Launches last_;
  std::map<std::uint64_t, Launches> events_;  ///< launches that have ended when the event has occurred
  std::map<std::uint64_t, Launches> waits_;   ///< launches that a stream waits for before its next launch
  Launches host_;                             ///< launches that the host has waited for
  std::uint64_t host_waits_ = 0;              ///< number of these waits
  std::map<std::uint64_t, std::uint64_t> host_waits_seen_;  ///< by the last launch of a stream
  std::map<std::uint64_t, std::int32_t> priorities_;
  std::set<std::uint64_t> non_blocking_;
  std::map<std::uint64_t, std::map<std::uint64_t, std::uint64_t>>
      early_;  ///< event, stream: line of its wait
  std::map<std::string, std::uint64_t> without_effect_, with_traffic_;
};

}  // namespace strata::traces
