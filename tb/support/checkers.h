#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/tlm/ports.h"
#include "models/tlm/protocol_checker.h"
#include "tb/support/catch.h"

namespace strata::tb {

/// Binds with a protocol checker on each hop; fails the test at its end when one of them saw a violation.
class Checkers {
 public:
  Checkers() = default;
  Checkers(const Checkers&) = delete;
  Checkers& operator=(const Checkers&) = delete;
  ~Checkers() {
    for (const auto& checker : all_)
      for (const std::string& message : checker->messages()) FAIL_CHECK(message);
  }

  bool bind(InitiatorPort& from, PortBase& to) { return from.bind_to(to, add()); }
  /// For sockets of external modules.
  void bind(tlm::tlm_initiator_socket<>& from, tlm::tlm_target_socket<>& to) { add().insert(from, to); }

 private:
  ProtocolChecker& add() {
    const std::string name = "checker_" + std::to_string(all_.size());
    all_.push_back(std::make_unique<ProtocolChecker>(name.c_str()));
    return *all_.back();
  }
  std::vector<std::unique_ptr<ProtocolChecker>> all_;
};

}  // namespace strata::tb
