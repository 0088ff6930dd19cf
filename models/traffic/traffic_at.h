#pragma once

#include <memory>
#include <vector>

#include "models/tlm/ports.h"
#include "models/traffic/traffic_shell.h"

namespace strata {

/// Random traffic through one initiator socket a port; one wheel unit a port.
class TrafficAt final : public TrafficShell {
 public:
  TrafficAt(sc_core::sc_module_name name, const TrafficParams& params, const BuildContext& context);

  InitiatorPort& port(int index) { return *links_[static_cast<std::size_t>(index)].port; }

  Accept response(Txn& txn, int port, Cycle at) override;
  void request_unblocked(int port, Cycle at) override;
  void advance(Cycle now, int unit) override;
  std::vector<WaitNote> waits() const override;

 private:
  struct Link {
    Cycle free = 0;          // first cycle in which the socket may send
    Txn* blocked = nullptr;  // request that is held back
    std::unique_ptr<InitiatorPort> port;
  };
  InitiatorPort& socket(int port) const override { return *links_[static_cast<std::size_t>(port)].port; }
  void send(Link& link, int unit, Cycle now);
  void book_next(const Link& link, int unit, Cycle now);

  const int most_open_;
  std::vector<Link> links_;
};

}  // namespace strata
