#pragma once

#include <memory>
#include <string>
#include <vector>

#include "platforms/engine/c_api/outside_port.h"
#include "platforms/engine/netlist/platform.h"
#include "platforms/report/stat_table.h"

namespace strata::platforms {

/// A platform whose caller advances time. A process has one SystemC kernel, so all platforms share its time:
/// a tick of one is a tick of all.
class CPlatform {
 public:
  /// Throws ConfigError.
  CPlatform(const std::string& netlist, const std::vector<std::string>& sets);
  ~CPlatform();

  int ports() const { return static_cast<int>(ports_.size()); }
  bool push(int port, const strata_request& request);
  /// Returns false if there is no reply yet. Throws ConfigError if `data` is too short; the reply stays.
  bool poll(int port, strata_reply& reply, std::uint8_t* data, std::size_t capacity);
  /// Skips cycles in which nothing is known to happen. Returns false if something may happen.
  bool leap(Cycle cycles) {
    if (now_ >= quiet_until_ || cycles > quiet_until_ - now_) return false;
    now_ += cycles;
    return true;
  }
  void tick(Cycle cycles);
  Cycle now() const;
  Cycle next();
  /// A clock of the netlist. Throws ConfigError if the netlist has no clock of that name.
  const ClockDomain& clock(const std::string& name) const;
  /// The first edge of that clock at or after the edge of the present cycle.
  Cycle next_edge(const std::string& clock) const;
  void access_memory(int port, bool write, Address address, std::uint8_t* data, std::size_t bytes);
  std::uint64_t statistic(const std::string& instance, const std::string& counter);
  std::string digest();
  /// Unfinished or faulty work; empty: none.
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

  std::unique_ptr<sc_core::sc_module> folder_;  // parent module of a second platform: keeps names distinct
  std::unique_ptr<Platform> platform_;
  std::vector<End> ports_;
  Cycle now_ = 0;          // SystemC may lag behind while nothing happens
  Cycle quiet_until_ = 0;  // nothing happens before the edge of this cycle, and no other platform has ticks
};

/// Why no further platform can be opened: SystemC has begun to simulate, or a platform failed to build.
/// Empty: one can.
std::string why_no_more_platforms();

}  // namespace strata::platforms
