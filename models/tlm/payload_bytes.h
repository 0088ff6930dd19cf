#pragma once

#include "models/common/held_bytes.h"
#include "models/tlm/txn.h"

namespace strata {

// What payloads carry where the run says `data: carried`; docs/blocks/data.md. A write brings the bytes that
// its byte enables name, an atomic the 32-bit operands of the words that they name; without them, all of its
// sectors. Replies bring the bytes of the sectors that were asked for, and of an atomic what its words held
// before.

/// Which bytes of sector `sector` of its line an access brings or asks for.
ByteMask enabled_in(const Txn& txn, unsigned sector);

/// Byte enables that name no byte yet. Whoever sets them ends them, before the transaction is released.
void begin_enables(Txn& txn);
void enable(Txn& txn, Address sector, ByteMask which);
/// Every byte counts again.
void end_enables(Txn& txn);

inline unsigned char* byte_at(Txn& txn, Address address) {
  return txn.get_data_ptr() + (address - txn.get_address());
}

/// visit(sector address, its bytes in the payload, those that are enabled) for each sector of an access.
template <class Visit>
void for_each_sector(Txn& txn, Visit visit) {
  const Access& access = txn.access();
  for (unsigned rest = access.sectors; rest != 0; rest &= rest - 1) {
    const auto sector = static_cast<unsigned>(__builtin_ctz(rest));
    const Address address = access.line + sector * sector_bytes;
    visit(address, byte_at(txn, address), enabled_in(txn, sector));
  }
}

/// An atomic at the words of `which`: 32-bit additions. The operands become what the words held before.
void add_words(unsigned char* operands, unsigned char* words, ByteMask which);

/// What two accesses have in common, with the enables of a write or an atomic.
void copy_bytes(Txn& from, Txn& to);

/// What stores and atomics of SMs bring, since traces name no values: each 32-bit word the low half of its
/// own address; atomics add 1 to the first word of every sector.
void make_bytes(Txn& txn);

}  // namespace strata
