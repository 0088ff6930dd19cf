#include "models/tlm/payload_bytes.h"

#include <algorithm>

namespace strata {

ByteMask enabled_in(const Txn& txn, unsigned sector) {
  const unsigned char* const enables = txn.get_byte_enable_ptr();
  if (enables == nullptr || !carries_request_data(txn.access().access_class)) return all_bytes;
  const Address first = txn.access().line + sector * sector_bytes - txn.get_address();
  ByteMask mask = 0;
  for (unsigned i = 0; i < sector_bytes; ++i)
    if (enables[first + i] == TLM_BYTE_ENABLED) mask |= ByteMask{1} << i;
  return mask;
}

void begin_enables(Txn& txn) {
  unsigned char* const enables = txn.enables();
  std::fill_n(enables, txn.get_data_length(), static_cast<unsigned char>(TLM_BYTE_DISABLED));
  txn.set_byte_enable_ptr(enables);
  txn.set_byte_enable_length(txn.get_data_length());
}

void enable(Txn& txn, Address sector, ByteMask which) {
  unsigned char* const first = txn.get_byte_enable_ptr() + (sector - txn.get_address());
  for (; which != 0; which &= which - 1) first[__builtin_ctz(which)] = TLM_BYTE_ENABLED;
}

void end_enables(Txn& txn) {
  txn.set_byte_enable_ptr(nullptr);
  txn.set_byte_enable_length(0);
}

void add_words(unsigned char* operands, unsigned char* words, ByteMask which) {
  for (ByteMask rest = whole_words(which) & 0x11111111U; rest != 0; rest &= rest - 1) {
    const int at = __builtin_ctz(rest);
    std::uint32_t word = 0, operand = 0;
    std::memcpy(&word, words + at, sizeof word);
    std::memcpy(&operand, operands + at, sizeof operand);
    const std::uint32_t sum = word + operand;
    std::memcpy(words + at, &sum, sizeof sum);
    std::memcpy(operands + at, &word, sizeof word);
  }
}

void copy_bytes(Txn& from, Txn& to) {
  const Address first = to.access().line;
  const bool partial =
      from.get_byte_enable_ptr() != nullptr && carries_request_data(from.access().access_class);
  if (partial && to.get_byte_enable_ptr() == nullptr) begin_enables(to);
  for_each_sector(from, [&](Address sector, unsigned char* bytes, ByteMask which) {
    if (sector < first || ((sector - first) / sector_bytes) > 7) return;
    if ((to.access().sectors >> ((sector - first) / sector_bytes) & 1U) == 0) return;
    copy_masked(byte_at(to, sector), bytes, which);
    if (partial) enable(to, sector, which);
  });
}

void make_bytes(Txn& txn) {
  const bool atomic = txn.access().access_class == AccessClass::atomic;
  if (!carries_request_data(txn.access().access_class)) return;
  for_each_sector(txn, [&](Address sector, unsigned char* bytes, ByteMask) {
    for (unsigned i = 0; i < sector_bytes; i += 4) {
      const auto word = static_cast<std::uint32_t>(atomic ? (i == 0 ? 1 : 0) : sector + i);
      std::memcpy(bytes + i, &word, sizeof word);
    }
  });
}

}  // namespace strata
