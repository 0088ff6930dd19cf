#include "models/llc_slice/slice_data.h"

#include <algorithm>

namespace strata {
namespace {

Address sector_of(Address address) {
  return address / sector_bytes * sector_bytes;
}

}  // namespace

bool is_enabled(const tlm::tlm_generic_payload& payload, unsigned byte) {
  const unsigned char* enables = payload.get_byte_enable_ptr();
  return enables == nullptr || enables[byte % payload.get_byte_enable_length()] == TLM_BYTE_ENABLED;
}

bool SliceData::is_live(Address line) const {
  return core_.contains(line, 0) || core_.mshrs().find(line / core_.params().line.count) != MshrFile::none;
}

void SliceData::expect(Address line) {
  line = core_.line_of(line);
  held_.tidy([this](Address sector) { return is_live(core_.line_of(sector)); });
  if (!is_live(line)) held_.drop_line(line, core_.params().line.count);
}

// Bytes for which somebody waits already.
ByteMask SliceData::awaited(Address sector) const {
  const auto found = waiting_.find(sector);
  if (found == waiting_.end()) return 0;
  ByteMask all = 0;
  for (const Waiting& waiting : found->second) all |= waiting.which;
  return all;
}

void SliceData::perform(const Txn& txn, HeldBytes& held, unsigned char* bytes, ByteMask which) {
  if (is_write(txn.access().access_class)) {
    copy_masked(held.bytes, bytes, which);
    held.here |= which;
    held.written |= which;
  } else if (txn.access().access_class == AccessClass::atomic) {
    add_words(bytes, held.bytes, which);
    held.written |= which;
  } else {
    copy_masked(bytes, held.bytes, which);
  }
}

void SliceData::decided(Txn& txn, bool answered) {
  const bool store = is_write(txn.access().access_class);
  const bool atomic = txn.access().access_class == AccessClass::atomic;
  for_each_sector(txn, [&](Address sector, unsigned char* bytes, ByteMask asked) {
    if (atomic) asked = whole_words(asked);
    const auto ready = [&] {
      const ByteMask here = (store ? all_bytes : held_.at(sector).here) & ~awaited(sector) & asked;
      return atomic ? whole_words(here) : here;
    };
    if (answered && ready() != asked) complete(sector);
    const ByteMask now = ready();
    perform(txn, held_.at(sector), bytes, now);
    if (now != asked) waiting_[sector].push_back({&txn, bytes, asked & ~now});
  });
}

// What is here already is newer. Whoever has waited has its turn.
void SliceData::arrive(Address sector, const unsigned char* bytes) {
  HeldBytes& held = held_.at(sector);
  copy_masked(held.bytes, bytes, ~held.here);
  held.here = all_bytes;
  const auto found = waiting_.find(sector);
  if (found == waiting_.end()) return;
  const std::vector<Waiting> turns = std::move(found->second);
  waiting_.erase(found);
  for (const Waiting& waiting : turns) perform(*waiting.txn, held, waiting.bytes, waiting.which);
}

void SliceData::filled(Txn& line, const AccessFifo& waiters) {
  for_each_sector(line, [&](Address sector, unsigned char* bytes, ByteMask) { arrive(sector, bytes); });
  if (waiters.empty()) return;
  for (Access* waiter = &waiters.front(); waiter != nullptr; waiter = waiter->next) {
    Txn& txn = Txn::of(*waiter);
    for_each_sector(txn, [&](Address sector, unsigned char*, ByteMask) {
      const auto found = waiting_.find(sector);
      if (found == waiting_.end()) return;
      const auto is_its = [&](const Waiting& waiting) { return waiting.txn == &txn; };
      if (std::any_of(found->second.begin(), found->second.end(), is_its)) complete(sector);
    });
  }
}

void SliceData::leaves(Txn& write) {
  begin_enables(write);
  ByteMask every = all_bytes;
  for_each_sector(write, [&](Address sector, unsigned char* bytes, ByteMask) {
    HeldBytes& held = held_.at(sector);
    copy_masked(bytes, held.bytes, held.written);
    enable(write, sector, held.written);
    every &= held.written;
    held.written = 0;
  });
  const auto count = static_cast<unsigned>(write.access().sector_count());
  if (every == all_bytes && count * sector_bytes == write.get_data_length()) end_enables(write);
  writes_.push_back(&write);
}

void SliceData::acknowledged(Txn& write) {
  writes_.erase(std::find(writes_.begin(), writes_.end(), &write));
  end_enables(write);
}

// Memory, as it will be when it has what is under way.
unsigned SliceData::read_memory(Address address, unsigned char* to, unsigned bytes) {
  tlm::tlm_generic_payload payload;
  payload.set_read();
  payload.set_address(address);
  payload.set_data_ptr(to);
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  const unsigned moved = memory_.debug(payload);
  for (Txn* write : writes_)
    for (unsigned i = 0; i < bytes; ++i) {
      const Address offset = address + i - write->get_address();
      if (offset < write->get_data_length() && is_enabled(*write, static_cast<unsigned>(offset)))
        to[i] = write->get_data_ptr()[offset];
    }
  return moved;
}

void SliceData::complete(Address sector) {
  unsigned char bytes[sector_bytes] = {};
  if (read_memory(sector, bytes, sector_bytes) != sector_bytes)
    SC_REPORT_ERROR(memory_.owner().name(),
                    "memory has no transport_dbg for the rest of a sector that was written in part");
  arrive(sector, bytes);
}

unsigned SliceData::debug(tlm::tlm_generic_payload& payload) {
  return payload.is_read() ? read(payload) : write(payload);
}

unsigned SliceData::read(tlm::tlm_generic_payload& payload) {
  const Address address = payload.get_address();
  const unsigned moved = read_memory(address, payload.get_data_ptr(), payload.get_data_length());
  for (unsigned i = 0; i < moved; ++i) {
    const Address sector = sector_of(address + i);
    const HeldBytes* held = held_.find(sector);
    const auto byte = static_cast<unsigned>(address + i - sector);
    if (held != nullptr && (held->here >> byte & 1U) != 0 && is_live(core_.line_of(sector)))
      payload.get_data_ptr()[i] = held->bytes[byte];
  }
  return moved;
}

// What is here, or under way in either direction, has it too.
unsigned SliceData::write(tlm::tlm_generic_payload& payload) {
  const Address address = payload.get_address(), end = address + payload.get_data_length();
  for (Address sector = sector_of(address); sector < end; sector += sector_bytes)
    if (is_live(core_.line_of(sector)) && held_.at(sector).here != all_bytes) complete(sector);
  for (unsigned i = 0; i < payload.get_data_length(); ++i) {
    if (!is_enabled(payload, i)) continue;
    const unsigned char value = payload.get_data_ptr()[i];
    const Address sector = sector_of(address + i);
    if (HeldBytes* held = held_.find(sector)) held->bytes[address + i - sector] = value;
    for (Txn* write : writes_) {
      const Address offset = address + i - write->get_address();
      if (offset < write->get_data_length()) write->get_data_ptr()[offset] = value;
    }
  }
  return memory_.debug(payload);
}

}  // namespace strata
