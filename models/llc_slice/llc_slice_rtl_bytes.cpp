// The bytes that pass between payloads and an LLC slice in RTL (`run.data: carried`).
#include <algorithm>
#include <cstring>

#include "models/llc_slice/llc_slice_rtl.h"
#include "models/llc_slice/slice_data.h"
#include "models/tlm/payload_bytes.h"

namespace strata {

// A store of every byte of its sectors: RTL has no use for a line of which it knows a part.
bool LlcSliceRtl::is_whole(Txn& txn) const {
  if (!carried_ || txn.access().access_class != AccessClass::store) return true;
  bool whole = true;
  for_each_sector(txn, [&](Address, unsigned char*, ByteMask which) { whole = whole && which == all_bytes; });
  return whole;
}

void LlcSliceRtl::give_bytes(Txn& txn, RtlBytes& bytes) const {
  const bool atomic = txn.access().access_class == AccessClass::atomic;
  bytes.enables = {};
  for_each_sector(txn, [&](Address sector, const unsigned char* from, ByteMask which) {
    const Address offset = sector % params_.line;
    std::memcpy(bytes.data.data() + offset, from, sector_bytes);
    bytes.enables[offset / sector_bytes] = atomic ? whole_words(which) : which;
  });
}

void LlcSliceRtl::take_reply(Txn& txn) const {
  if (is_write(txn.access().access_class)) return;
  const bool atomic = txn.access().access_class == AccessClass::atomic;
  for_each_sector(txn, [&](Address sector, unsigned char* to, ByteMask which) {
    copy_masked(to, reply_bytes_.data.data() + sector % params_.line,
                atomic ? whole_words(which) : all_bytes);
  });
}

// It has the bytes that are newer than memory's, and no others.
void LlcSliceRtl::take_write(Txn& txn) {
  begin_enables(txn);
  ByteMask every = all_bytes;
  for_each_sector(txn, [&](Address sector, unsigned char* to, ByteMask) {
    const Address offset = sector % params_.line;
    const ByteMask which = write_bytes_.enables[offset / sector_bytes];
    std::memcpy(to, write_bytes_.data.data() + offset, sector_bytes);
    enable(txn, sector, which);
    every &= which;
  });
  if (every == all_bytes) end_enables(txn);
  writes_.push_back(&txn);
}

void LlcSliceRtl::acknowledged(Txn& write) {
  writes_.erase(std::find(writes_.begin(), writes_.end(), &write));
  end_enables(write);
}

unsigned LlcSliceRtl::debug(tlm::tlm_generic_payload& payload, int) {
  const unsigned moved = mem.debug(payload);
  if (carried_) payload.is_read() ? look(payload) : change(payload);
  return moved;
}

std::uint16_t LlcSliceRtl::set_of(Address address) const {
  return static_cast<std::uint16_t>(index_(address / params_.line * params_.line));
}

// Memory, past the writes under way, past what the RTL has.
void LlcSliceRtl::look(tlm::tlm_generic_payload& payload) {
  const Address address = payload.get_address();
  RtlBytes held;
  for (unsigned i = 0; i < payload.get_data_length(); ++i) {
    const Address at = address + i, offset = at % params_.line;
    if (i == 0 || offset == 0) held = rtl_->peek(at / params_.line, set_of(at));
    unsigned char& byte = payload.get_data_ptr()[i];
    for (Txn* write : writes_)
      if (const Address within = at - write->get_address();
          within < write->get_data_length() && is_enabled(*write, static_cast<unsigned>(within)))
        byte = write->get_data_ptr()[within];
    if ((held.enables[offset / sector_bytes] >> offset % sector_bytes & 1U) != 0) byte = held.data[offset];
  }
}

void LlcSliceRtl::change(const tlm::tlm_generic_payload& payload) {
  const Address address = payload.get_address(), last = address + payload.get_data_length() - 1;
  RtlBytes bytes;
  for (Address at = address; at <= last; ++at) {
    const auto i = static_cast<unsigned>(at - address);
    const Address offset = at % params_.line;
    if (is_enabled(payload, i)) {
      bytes.data[offset] = payload.get_data_ptr()[i];
      bytes.enables[offset / sector_bytes] |= 1U << offset % sector_bytes;
      for (Txn* write : writes_)
        if (const Address within = at - write->get_address(); within < write->get_data_length())
          write->get_data_ptr()[within] = payload.get_data_ptr()[i];
    }
    if (at != last && offset + 1 != params_.line) continue;
    rtl_->poke(at / params_.line, set_of(at), bytes);
    bytes = {};
  }
}

}  // namespace strata
