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

/// The lines of a list of kernels that name a call of the host. Copies to the device are kept; records of
/// events, waits for them and waits of the host say which launches a launch comes after; all others are
/// counted by name.
class LaunchOrder {
 public:
  /// False when `line` is no call that is known. Throws TraceError when its operands are none.
  bool take(const LineReader& lines, std::string_view line);
  /// The next launch of the list: `after` and `priority` are filled in, and its stream is marked when it was
  /// made as one that does not block.
  void launch(KernelInfo& kernel);

  const std::vector<MemcpyInfo>& copies() const { return copies_; }
  /// Calls that were passed over, by name and number: a line for those without effect, and one for those that
  /// move data.
  std::vector<std::string> notes() const;
  /// Calls that are known, for the nearest one in a message.
  static std::vector<std::string> names();

 private:
  using Launches = std::map<std::uint64_t, std::uint32_t>;  ///< the last one of each stream
  struct Call {
    std::string_view line, name, kind;  ///< as written; the latter without `cuda` and version
    std::vector<std::string_view> operands;
  };

  static Call parse(std::string_view line);
  void copy(const LineReader& lines, const Call& call);
  bool order(const LineReader& lines, const Call& call);
  void record(const LineReader& lines, std::uint64_t event, std::uint64_t stream);
  void host_waits_for(const Launches& launches);
  /// What is over when all that stands in the stream by now is.
  Launches over(std::uint64_t stream) const;
  bool blocks(std::uint64_t stream) const { return non_blocking_.count(stream) == 0; }

  std::vector<MemcpyInfo> copies_;
  std::uint32_t launches_ = 0;
  Launches last_;
  std::map<std::uint64_t, Launches> events_;                ///< what is over when the event is
  std::map<std::uint64_t, Launches> waits_;                 ///< of a stream, before its next launch
  Launches host_;                                           ///< that the host has waited for
  std::uint64_t host_waits_ = 0;                            ///< how often it has
  std::map<std::uint64_t, std::uint64_t> host_waits_seen_;  ///< by the last launch of a stream
  std::map<std::uint64_t, std::int32_t> priorities_;
  std::set<std::uint64_t> non_blocking_;
  std::map<std::uint64_t, std::map<std::uint64_t, std::uint64_t>>
      early_;  ///< event, stream: line of its wait
  std::map<std::string, std::uint64_t> without_effect_, with_traffic_;
};

}  // namespace strata::traces
