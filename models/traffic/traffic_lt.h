#pragma once

#include <memory>
#include <vector>

#include "models/tlm/lt_ports.h"
#include "models/traffic/traffic_shell.h"

namespace strata {

/// The same traffic over lt sockets: each port runs ahead of simulated time by up to `quantum` cycles.
class TrafficLt final : public TrafficShell, private LtCaller {
 public:
  TrafficLt(sc_core::sc_module_name name, const TrafficParams& params, const BuildContext& context);

  LtInitiatorPort& port(int index) { return *links_[static_cast<std::size_t>(index)].port; }

  void advance(Cycle now, int unit) override;
  std::vector<WaitNote> waits() const override;

 private:
  struct Link {
    Cycle local = 0;  // cycle up to which it has run
    Cycle free = 0;   // first cycle in which the socket may send; never: nobody knows
    std::unique_ptr<LtInitiatorPort> port;
  };
  void send(Link& link, int unit, Cycle now);
  void answered(Txn& txn, int port, const LtAnswer& answer) override;
  void accepted(int port, Cycle at) override;

  const int quantum_;
  const int most_open_;
  std::vector<Link> links_;
};

}  // namespace strata
