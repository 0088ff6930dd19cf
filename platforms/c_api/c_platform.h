#pragma once

#include <memory>
#include <string>
#include <vector>

#include "platforms/c_api/outside_port.h"
#include "platforms/netlist/platform.h"
#include "platforms/report/stat_table.h"

namespace strata::platforms {

/// A platform whose time its caller lets pass. There is one SystemC kernel in a process, so all platforms
/// share its time: a tick of one is a tick of all.
class CPlatform {
 public:
  /// Throws ConfigError.
  CPlatform(const std::string& netlist, const std::vector<std::string>& sets);
  ~CPlatform();

  int ports() const { return static_cast<int>(ports_.size()); }
  bool push(int port, const strata_request& request);
  /// False: none yet. Throws ConfigError when `data` is too short; the reply stays.
  bool poll(int port, strata_reply& reply, std::uint8_t* data, std::size_t capacity);
  /// Lets cycles pass in which nothing happens, where that is known; false: it is not.
  bool leap(Cycle cycles) {
    if (now_ >= quiet_until_ || cycles > quiet_until_ - now_) return false;
    now_ += cycles;
    return true;
  }
  void tick(Cycle cycles);
  Cycle now() const;
  Cycle next();
  /// A clock of the netlist. Throws ConfigError when it has none of that name.
  const ClockDomain& clock(const std::string& name) const;
  /// Of that clock: the first edge not before that of the present cycle.
  Cycle next_edge(const std::string& clock) const;
  void access_memory(int port, bool write, Address address, std::uint8_t* data, std::size_t bytes);
  std::uint64_t statistic(const std::string& instance, const std::string& counter);
  std::string digest();
  /// What is not done or not right; empty: nothing.
  Faults faults();

 private:
  struct End {
    OutsidePort* block;
    int port;
  };
  void catch_up();
  Cycle look_ahead();
  void settle();
  std::vector<InstanceStats> statistics();

  std::unique_ptr<sc_core::sc_module> folder_;  // a second platform lies in one: names stay apart
  std::unique_ptr<Platform> platform_;
  std::vector<End> ports_;
  Cycle now_ = 0;          // SystemC may lag behind, as far as nothing happens
  Cycle quiet_until_ = 0;  // nothing happens before the edge of this cycle, and no other platform has ticks
};

/// SystemC has begun to simulate, or a platform could not be built to its end: no other can be opened.
std::string why_no_more_platforms();

}  // namespace strata::platforms
