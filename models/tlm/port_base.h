#pragma once

#include <string>

#include <tlm>

#include "models/tlm/block.h"

namespace strata {

class ProtocolChecker;

enum class PortRole { initiator, target, control_out, control_in };

/// What the netlist knows of a port: the socket `group[index]` of its owner, and what it can be bound to.
class PortBase {
 public:
  PortBase(Block& owner, std::string group, int index, PortRole role);
  virtual ~PortBase();
  PortBase(const PortBase&) = delete;
  PortBase& operator=(const PortBase&) = delete;

  Block& owner() const { return owner_; }
  const std::string& group() const { return group_; }
  int index() const { return index_; }
  PortRole role() const { return role_; }
  std::string socket_name() const { return group_ + "_" + std::to_string(index_); }
  std::string full_name() const;  ///< with that of the owner

  /// Bind an initiator to a target or a control_out to a control_in; false when the two do not fit.
  virtual bool bind_to(PortBase& other) = 0;
  /// The same for two TLM sockets with a protocol checker on the binding.
  virtual bool bind_to(PortBase& other, ProtocolChecker& checker);
  /// Bind an initiator to a socket, a target from a socket; false when this is none.
  virtual bool bind_out(tlm::tlm_target_socket<>& to);
  virtual bool bind_in(tlm::tlm_initiator_socket<>& from);

  /// The other end has a slower clock.
  bool meets_slower() const { return slower_.count != 0; }
  /// The cycle in which the last of a packet's `flits` comes, the first of which is here in cycle `at`: one
  /// passes in each cycle of the slower of the two clocks.
  Cycle tail(Cycle at, unsigned flits) const {
    return meets_slower() ? slow_tail(at, flits) : at + flits - 1;
  }
  /// The blocks whose sockets meet, past checkers between them.
  static void set_ends(PortBase& from, PortBase& to);
  /// The block at the other end; null when it is external.
  const Block* other_end() const { return other_end_; }
  bool behind_network() const { return other_end_ != nullptr && other_end_->is_network(); }
  /// The row of ledgers for what the owner charges in place of the other end; its own when that is unknown.
  Place place_beyond(Cause cause) const;
  /// The same of the block that serves requests from here, past the networks on the way to it.
  Place place_served(Cause cause) const;
  /// The same for the link between the two: a link belongs to the network at its end, else to who takes from
  /// it.
  Place place_of_link(Cause cause) const;

 protected:
  /// Packets come from the Block's socket at the other end, and go there.
  void meet(PortBase& other);
  Block& owner_;

 private:
  Cycle slow_tail(Cycle at, unsigned flits) const;

  Hertz slower_{0};  // clock of the other end
  std::string group_;
  int index_;
  PortRole role_;
  const Block* other_end_ = nullptr;
};

/// A control connection: the side that calls. Interfaces are plain SystemC interfaces.
template <class Interface>
class ControlIn;

template <class Interface>
class ControlOut final : public PortBase {
 public:
  ControlOut(Block& owner, const std::string& group, int index)
      : PortBase(owner, group, index, PortRole::control_out), port_(socket_name().c_str()) {}
  bool bind_to(PortBase& other) override {
    auto* target = dynamic_cast<ControlIn<Interface>*>(&other);
    if (target == nullptr) return false;
    port_.bind(target->exported());
    return true;
  }
  /// Bind to any object with the interface, for users' own benches.
  void bind(Interface& target) { port_.bind(target); }
  bool bound() const { return port_.size() > 0; }
  Interface* operator->() { return port_.operator->(); }
  Interface& get() { return *port_.operator->(); }
  /// Of an output that goes to several inputs.
  int ends() const { return port_.size(); }
  Interface& end(int i) { return *port_[i]; }

 private:
  sc_core::sc_port<Interface, 0, sc_core::SC_ZERO_OR_MORE_BOUND> port_;
};

/// The side that is called.
template <class Interface>
class ControlIn final : public PortBase {
 public:
  ControlIn(Block& owner, const std::string& group, int index, Interface& implementation)
      : PortBase(owner, group, index, PortRole::control_in), export_(socket_name().c_str()) {
    export_.bind(implementation);
  }
  bool bind_to(PortBase& other) override {
    return other.role() == PortRole::control_out && other.bind_to(*this);
  }
  sc_core::sc_export<Interface>& exported() { return export_; }

 private:
  sc_core::sc_export<Interface> export_;
};

}  // namespace strata
