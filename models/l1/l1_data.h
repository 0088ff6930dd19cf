#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <unordered_map>
#include <vector>

#include "models/common/faults.h"
#include "models/l1/cache_design.h"
#include "models/tlm/payload_bytes.h"
#include "models/tlm/ports.h"

namespace strata {

/// The bytes of an L1, beside whatever design its tags have.
///
/// Every reply gives those that wait for its line what it brings, and what the design keeps of it stays
/// here. Stores change what is here as they pass, those that stay too. What the design lets go it need
/// not say: a sector is brought again before it can be hit again.
class L1Data {
 public:
  /// Null: no bytes are carried.
  static std::unique_ptr<L1Data> make(bool carries_data, const char* name, const CacheDesign& design,
                                      std::uint64_t line, InitiatorPort& below) {
    if (!carries_data) return nullptr;
    if (design.contains(0))
      throw ConfigError(Faults{{{name, 0, 0},
                                "run.data: carried: loads hit here before anything was fetched, so that "
                                "there are no bytes for them; take perfect: false, or run.data: none"}});
    return std::make_unique<L1Data>(name, design, line, below);
  }
  L1Data(const char* name, const CacheDesign& design, std::uint64_t line, InitiatorPort& below)
      : name_(name),
        design_(design),
        line_(line),
        below_(below),
        keeps_stores_(design.params().local == L1Params::Local::write_back) {}

  /// A decision that is no stall.
  void decided(Txn& txn, L1Outcome outcome) {
    if (outcome == L1Outcome::forward) {
      if (is_write(txn.access().access_class)) store(txn);
      return;
    }
    if (outcome == L1Outcome::kept) return keep(txn);
    const bool complete = load(txn);
    if (outcome == L1Outcome::hit && !complete)
      SC_REPORT_ERROR(name_, "a load hits a sector that no reply has brought");
    if (outcome != L1Outcome::hit) waiting_[txn.access().line].push_back({&txn, written(txn)});
  }
  /// A reply to a fetch, or a part of one, brings bytes.
  void came(Txn& reply) {
    const auto found = waiting_.find(reply.cause()->line);
    if (found != waiting_.end())
      for (const Waiter& waiter : found->second) give(reply, waiter);
    for_each_sector(reply, [&](Address sector, unsigned char* bytes, ByteMask) {
      HeldBytes& held = held_.at(sector);
      const ByteMask brought = asked_bytes(reply.access(), sector) & ~held.written;
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
      std::vector<Waiter>& waiters = found->second;
      waiters.erase(std::remove_if(waiters.begin(), waiters.end(),
                                   [one](const Waiter& waiter) { return &waiter.txn->access() == one; }),
                    waiters.end());
      if (waiters.empty()) waiting_.erase(found);
    }
    for_each_sector(reply, [&](Address sector, unsigned char*, ByteMask) {
      if (!keeps(line, sector)) held_.drop(sector);
    });
    held_.tidy([this](Address sector) {
      const Address its_line = sector / line_ * line_;  // parts of a reply may be here, and the rest to come
      return waiting_.count(its_line) != 0 || keeps(its_line, sector);
    });
  }
  /// transport_dbg writes past this L1.
  void poked(const tlm::tlm_generic_payload& payload) {
    const Address first = payload.get_address();
    for (unsigned i = 0; i < payload.get_data_length(); ++i)
      if (HeldBytes* held = held_.find((first + i) / sector_bytes * sector_bytes))
        held->bytes[(first + i) % sector_bytes] = payload.get_data_ptr()[i];
  }
  /// transport_dbg reads past this L1: what is dirty is found here.
  void peeked(tlm::tlm_generic_payload& payload) {
    const Address first = payload.get_address();
    unsigned char* const bytes = payload.get_data_ptr();
    for (unsigned i = 0; i < payload.get_data_length(); ++i) {
      const Address sector = (first + i) / sector_bytes * sector_bytes;
      const unsigned at = static_cast<unsigned>(first + i - sector);
      if (const HeldBytes* held = held_.find(sector); held != nullptr && (held->written >> at & 1U) != 0)
        bytes[i] = held->bytes[at];
    }
  }
  /// Dirty sectors leave: their bytes are the payload's now.
  void leaves(Txn& txn) {
    begin_enables(txn);
    for_each_sector(txn, [&](Address sector, unsigned char* bytes, ByteMask) {
      const HeldBytes& held = held_.at(sector);
      copy_masked(bytes, held.bytes, held.written);
      enable(txn, sector, held.written);
      held_.drop(sector);
    });
  }
  /// It, or a part of it, is a request, which ends with was_written().
  void is_under_way(Txn& txn) { leaving_.push_back(&txn); }
  void was_written(Txn& txn) {
    leaving_.erase(std::find(leaving_.begin(), leaving_.end(), &txn));
    end_enables(txn);
  }
  /// No line is here any more, dirty or not.
  void flushed() { held_ = {}; }

 private:
  /// A load that waits for a fetch, and which bytes of its line it has had from here: they are newer.
  struct Waiter {
    Txn* txn;
    std::array<ByteMask, 8> has;
  };

  std::array<ByteMask, 8> written(Txn& txn) {
    std::array<ByteMask, 8> all{};
    for_each_sector(txn, [&](Address sector, unsigned char*, ByteMask) {
      if (const HeldBytes* held = held_.find(sector))
        all[(sector - txn.access().line) / sector_bytes] = held->written;
    });
    return all;
  }
  static void give(Txn& reply, const Waiter& waiter) {
    const Access& access = waiter.txn->access();
    for_each_sector(reply, [&](Address sector, const unsigned char* bytes, ByteMask) {
      if (sector < access.line || sector - access.line >= 8 * sector_bytes) return;
      const auto place = (sector - access.line) / sector_bytes;
      if ((access.sectors >> place & 1U) != 0)
        copy_masked(byte_at(*waiter.txn, sector), bytes, ~waiter.has[place]);
    });
  }
  void keep(Txn& txn) {
    for_each_sector(txn, [this](Address sector, const unsigned char* bytes, ByteMask which) {
      HeldBytes& held = held_.at(sector);
      if (held.written == 0) held.here = 0;  // it may be of a line that has gone
      copy_masked(held.bytes, bytes, which);
      held.here |= which;
      held.written |= which;
    });
  }
  /// A sector that was stored in part counts as wholly written: its other bytes are those below, past what is
  /// under way to there.
  void take_the_rest(const Access& access, Address sector, HeldBytes& held) {
    unsigned char found[sector_bytes] = {};
    MemAttr who;
    who.sm = access.sm;
    tlm::tlm_generic_payload payload;
    payload.set_read();
    payload.set_address(sector);
    payload.set_data_ptr(found);
    payload.set_data_length(sector_bytes);
    payload.set_streaming_width(sector_bytes);
    payload.set_extension(&who);
    const unsigned moved = below_.debug(payload);
    payload.clear_extension(&who);
    if (moved != sector_bytes)
      SC_REPORT_ERROR(name_,
                      "a load needs bytes that its store has left out, and memory has no "
                      "transport_dbg");
    for (Txn* const txn : leaving_)
      for_each_sector(*txn, [&](Address written, const unsigned char* bytes, ByteMask which) {
        if (written == sector) copy_masked(found, bytes, which);
      });
    copy_masked(held.bytes, found, ~held.here);
    held.here = all_bytes;
  }
  bool keeps(Address line, Address sector) const {
    return design_.contains_some(line, static_cast<std::uint8_t>(1U << (sector - line) / sector_bytes));
  }
  /// Of a sector of the line.
  static ByteMask asked_bytes(const Access& access, Address sector) {
    if (access.parts == 0) return all_bytes;
    constexpr unsigned sector_parts = sector_bytes / part_bytes;
    const unsigned parts = access.parts >> (sector - access.line) / part_bytes & ((1U << sector_parts) - 1);
    ByteMask bytes = 0;
    for (unsigned i = 0; i < sector_parts; ++i)
      if ((parts >> i & 1) != 0) bytes |= ((ByteMask{1} << part_bytes) - 1) << i * part_bytes;
    return bytes;
  }
  /// What is here of what a load asks for; true: all of it.
  bool load(Txn& txn) {
    bool complete = true;
    for_each_sector(txn, [&](Address sector, unsigned char* bytes, ByteMask) {
      HeldBytes* held = held_.find(sector);
      if (keeps_stores_ && held != nullptr && held->here != all_bytes && keeps(txn.access().line, sector))
        take_the_rest(txn.access(), sector, *held);
      if (held == nullptr || (asked_bytes(txn.access(), sector) & ~held->here) != 0) complete = false;
      if (held != nullptr) copy_masked(bytes, held->bytes, all_bytes);
    });
    return complete;
  }
  void store(Txn& txn) {
    for_each_sector(txn, [this](Address sector, unsigned char* bytes, ByteMask which) {
      if (HeldBytes* held = held_.find(sector)) copy_masked(held->bytes, bytes, which);
    });
  }

  const char* name_;
  const CacheDesign& design_;
  const std::uint64_t line_;
  InitiatorPort& below_;
  const bool keeps_stores_;
  HeldSectors held_;
  std::vector<Txn*> leaving_;                                 // requests with dirty bytes, oldest first
  std::unordered_map<Address, std::vector<Waiter>> waiting_;  // by line; looked up only
};

}  // namespace strata
