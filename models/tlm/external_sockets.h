#pragma once

#include <deque>
#include <functional>
#include <string>
#include <utility>

#include <tlm>

#include "models/tlm/ports.h"

namespace strata {

/// A socket of a module that knows nothing of Strata, as netlists see it. It is bound itself: nothing is put
/// in between.
class ExternalPort final : public PortBase {
 public:
  using BindOut = std::function<void(tlm::tlm_target_socket<>&)>;
  using BindIn = std::function<void(tlm::tlm_initiator_socket<>&)>;

  ExternalPort(Block& owner, const std::string& group, int index, BindOut bind_out);
  ExternalPort(Block& owner, const std::string& group, int index, BindIn bind_in);

  bool bind_to(PortBase& other) override;
  bool bind_to(PortBase& other, ProtocolChecker& checker) override;
  bool bind_out(tlm::tlm_target_socket<>& to) override;
  bool bind_in(tlm::tlm_initiator_socket<>& from) override;
  /// Strata's port at the other end; null: none, or not bound yet.
  const TargetPort* target() const { return target_; }
  void allow_calls(int calls) { calls_ = calls; }

 private:
  BindOut out_;
  BindIn in_;
  TargetPort* target_ = nullptr;
  int calls_ = 1;
};

/// The sockets of an external module, named as its row names them; those of a group in the order of add().
class ExternalSockets {
 public:
  explicit ExternalSockets(Block& owner) : owner_(owner) {}

  /// Any initiator socket of the base protocol, of any bus width: plain, simple, passthrough or
  /// multi_passthrough.
  template <unsigned width, int most, sc_core::sc_port_policy policy>
  void add(const std::string& group,
           tlm::tlm_base_initiator_socket<width, tlm::tlm_fw_transport_if<>, tlm::tlm_bw_transport_if<>, most,
                                          policy>& socket) {
    if constexpr (width == 32) {
      ports_.emplace_back(owner_, group, next(group),
                          ExternalPort::BindOut([&socket](auto& to) { socket.bind(to); }));
    } else {
      ports_.emplace_back(owner_, group, next(group), ExternalPort::BindOut([&socket](auto& to) {
                            socket.get_base_port()(to.get_base_interface());
                            to.get_base_port()(socket.get_base_interface());
                          }));
    }
  }
  /// Any target socket likewise.
  template <unsigned width>
  void add(const std::string& group, tlm::tlm_base_target_socket_b<width>& socket) {
    ports_.emplace_back(owner_, group, next(group), ExternalPort::BindIn([&socket](auto& from) {
                          from.get_base_port()(socket.get_base_interface());
                          socket.get_base_port()(from.get_base_interface());
                        }));
  }

  std::deque<ExternalPort>& ports() { return ports_; }
  const std::deque<ExternalPort>& ports() const { return ports_; }

 private:
  int next(const std::string& group) const;
  Block& owner_;
  std::deque<ExternalPort> ports_;
};

}  // namespace strata
