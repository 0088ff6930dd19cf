#pragma once

#include <cstring>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "models/common/stats.h"
#include "models/tlm/ports.h"
#include "models/tlm/protocol_checker.h"
#include "models/tlm/txn_pool.h"
#include "tb/support/block_checks.h"
#include "tb/support/catch.h"
#include "tb/support/wire_bench.h"

namespace strata::tb {

using Log = std::vector<std::string>;
using tlm::tlm_generic_payload;
using tlm::tlm_phase;

inline sc_core::sc_time ns(int n) {
  return sc_core::sc_time(n, sc_core::SC_NS);
}

inline std::string line_at(const char* what, const Access& access, Cycle at) {
  std::ostringstream text;
  text << what << " " << std::hex << access.line << std::dec << " @" << at;
  return text.str();
}

/// A block with an initiator port: does in advance() what the test says and logs what it hears.
class Sender final : public Block {
 public:
  Sender(sc_core::sc_module_name name, ClockDomain& clock) : Block(name, clock) {}
  void advance(Cycle now, int) override { then(now); }
  Accept response(Txn& txn, int, Cycle at) override {
    log.push_back(line_at("response", txn.access(), at));
    status = txn.get_response_status();
    if (hold) return Accept::held();
    txn.release();
    return Accept::taken(at + 1);
  }
  void request_unblocked(int, Cycle at) override { log.push_back("unblocked @" + std::to_string(at)); }
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override {}
  using Block::book;

  Txn& load(Address line) { return pool.make(AccessClass::load, line, 0xf, ledger_now()); }
  /// Send a load of `line` and log how it was taken; release it if it is done.
  Accept send(Address line) {
    Txn& txn = load(line);
    const Accept accept = out.send(txn);
    log.push_back((accept.is_taken()  ? "taken @"
                   : accept.is_held() ? "held @"
                                      : "done @") +
                  std::to_string(accept.at));
    if (accept.is_done()) {
      status = txn.get_response_status();
      txn.release();
    }
    return accept;
  }

  InitiatorPort out{*this, "out", 0};
  TxnPool pool;
  Log log;
  bool hold = false;
  tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
  std::function<void(Cycle)> then = [](Cycle) {};

 private:
  NoStats stats_;
};

/// A block with a target port and 4 KiB of memory; takes requests as the test says.
class Taker final : public Block {
 public:
  Taker(sc_core::sc_module_name name, ClockDomain& clock) : Block(name, clock) {}
  void advance(Cycle now, int) override { then(now); }
  Accept request(Txn& txn, int, Cycle at) override {
    log.push_back(line_at("request", txn.access(), at));
    last = &txn;
    return take(txn, at);
  }
  void response_unblocked(int, Cycle at) override { log.push_back("unblocked @" + std::to_string(at)); }
  unsigned debug(tlm_generic_payload& payload, int) override {
    if (payload.get_address() + payload.get_data_length() > sizeof memory) return 0;
    if (payload.is_read())
      std::memcpy(payload.get_data_ptr(), memory + payload.get_address(), payload.get_data_length());
    if (payload.is_write())
      std::memcpy(memory + payload.get_address(), payload.get_data_ptr(), payload.get_data_length());
    return payload.get_data_length();
  }
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override {}
  using Block::book;
  Accept respond() {
    const Accept accept = in.respond(*last);
    log.push_back((accept.is_taken() ? "taken @" : "held @") + std::to_string(accept.at));
    return accept;
  }

  TargetPort in{*this, "in", 0};
  Log log;
  Txn* last = nullptr;
  unsigned char memory[4096] = {};
  std::function<Accept(Txn&, Cycle)> take = [](Txn&, Cycle at) { return Accept::taken(at + 1); };
  std::function<void(Cycle)> then = [](Cycle) {};

 private:
  NoStats stats_;
};

}  // namespace strata::tb
