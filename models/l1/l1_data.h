#pragma once

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <vector>

#include "models/common/faults.h"
#include "models/l1/l1_organization.h"
#include "models/tlm/payload_bytes.h"

namespace strata {

/// The bytes of an L1, beside whatever organization its tags have.
///
/// Every reply gives those that wait for its line what it brings, and what the organization keeps of it stays
/// here. Stores change what is here as they pass. What the organization lets go it need not say: a chunk is
/// brought again before it can be hit again.
class L1Data {
 public:
  /// Null: no bytes are carried.
  static std::unique_ptr<L1Data> make(bool carries_data, const char* name, const L1Organization& organization,
                                      std::uint64_t line) {
    if (!carries_data) return nullptr;
    if (organization.contains(0))
      throw ConfigError(Faults{{{name, 0, 0},
                                "run.data: carried: loads hit here before anything was fetched, so that "
                                "there are no bytes for them; take perfect: false, or run.data: none"}});
    return std::make_unique<L1Data>(name, organization, line);
  }
  L1Data(const char* name, const L1Organization& organization, std::uint64_t line)
      : name_(name), organization_(organization), line_(line) {}

  /// A decision that is no stall.
  void decided(Txn& txn, L1Outcome outcome) {
    if (outcome == L1Outcome::forward) {
      if (is_write(txn.access().access_class)) store(txn);
      return;
    }
    const bool complete = load(txn);
    if (outcome == L1Outcome::hit && !complete)
      SC_REPORT_ERROR(name_, "a load hits a chunk that no reply has brought");
    if (outcome != L1Outcome::hit) waiting_[txn.access().line].push_back(&txn);
  }
  /// A reply to a fetch, or a part of one, brings bytes.
  void came(Txn& reply) {
    const auto found = waiting_.find(reply.cause()->line);
    if (found != waiting_.end())
      for (Txn* waiter : found->second) copy_bytes(reply, *waiter);
    for_each_chunk(reply, [&](Address chunk, unsigned char* bytes, ByteMask) {
      HeldBytes& held = held_.at(chunk);
      const ByteMask brought = asked_bytes(reply.access(), chunk);
      copy_masked(held.bytes, bytes, brought);
      held.here |= brought;
    });
  }
  /// The last part of a reply has come, and `served` leave with it. `line`: of the fetch.
  void filled(Txn& reply, const AccessFifo& served) {
    const Address line = reply.cause()->line;
    came(reply);
    for (const Access* one = served.empty() ? nullptr : &served.front(); one != nullptr; one = one->next) {
      const auto found = waiting_.find(one->line);
      if (found == waiting_.end()) continue;
      std::vector<Txn*>& waiters = found->second;
      waiters.erase(std::remove_if(waiters.begin(), waiters.end(),
                                   [one](const Txn* waiter) { return &waiter->access() == one; }),
                    waiters.end());
      if (waiters.empty()) waiting_.erase(found);
    }
    for_each_chunk(reply, [&](Address chunk, unsigned char*, ByteMask) {
      if (!keeps(line, chunk)) held_.drop(chunk);
    });
    held_.tidy([this](Address chunk) {
      const Address its_line = chunk / line_ * line_;  // parts of a reply may be here, and the rest to come
      return waiting_.count(its_line) != 0 || keeps(its_line, chunk);
    });
  }
  /// transport_dbg writes past this L1.
  void poked(const tlm::tlm_generic_payload& payload) {
    const Address first = payload.get_address();
    for (unsigned i = 0; i < payload.get_data_length(); ++i)
      if (HeldBytes* held = held_.find((first + i) / chunk_bytes * chunk_bytes))
        held->bytes[(first + i) % chunk_bytes] = payload.get_data_ptr()[i];
  }

 private:
  bool keeps(Address line, Address chunk) const {
    return organization_.contains_some(line, static_cast<std::uint8_t>(1U << (chunk - line) / chunk_bytes));
  }
  /// Of a chunk of the line.
  static ByteMask asked_bytes(const Access& access, Address chunk) {
    if (access.parts == 0) return all_bytes;
    constexpr unsigned chunk_parts = chunk_bytes / part_bytes;
    const unsigned parts = access.parts >> (chunk - access.line) / part_bytes & ((1U << chunk_parts) - 1);
    ByteMask bytes = 0;
    for (unsigned i = 0; i < chunk_parts; ++i)
      if ((parts >> i & 1) != 0) bytes |= ((ByteMask{1} << part_bytes) - 1) << i * part_bytes;
    return bytes;
  }
  /// What is here of what a load asks for; true: all of it.
  bool load(Txn& txn) {
    bool complete = true;
    for_each_chunk(txn, [&](Address chunk, unsigned char* bytes, ByteMask) {
      const HeldBytes* held = held_.find(chunk);
      if (held == nullptr || (asked_bytes(txn.access(), chunk) & ~held->here) != 0) complete = false;
      if (held != nullptr) copy_masked(bytes, held->bytes, all_bytes);
    });
    return complete;
  }
  void store(Txn& txn) {
    for_each_chunk(txn, [this](Address chunk, unsigned char* bytes, ByteMask which) {
      if (HeldBytes* held = held_.find(chunk)) copy_masked(held->bytes, bytes, which);
    });
  }

  const char* name_;
  const L1Organization& organization_;
  const std::uint64_t line_;
  HeldChunks held_;
  std::unordered_map<Address, std::vector<Txn*>> waiting_;  // by line; looked up only
};

}  // namespace strata
