#include "traces/record/dictionary.h"

namespace strata::traces::record {
namespace {

template <class Field>
std::uint64_t at(Field field, unsigned byte) {
  return static_cast<std::uint64_t>(static_cast<std::uint8_t>(field)) << (8 * byte);
}
std::uint8_t byte(std::uint64_t word, unsigned index) {
  return static_cast<std::uint8_t>(word >> (8 * index));
}

}  // namespace

StaticPart static_part(const WarpInstruction& i) {
  StaticPart part;
  part.words[0] = i.pc | at(i.op, 4) | at(i.address_kind, 5) | at(i.width, 6) | at(i.first_use, 7);
  part.words[1] = at(i.non_coherent, 0) | at(i.bypass_l1, 1) | at(i.destination, 2) |
                  at(i.destination_count, 3) | at(i.weight, 4) | at(i.sources[0], 5) | at(i.sources[1], 6) |
                  at(i.sources[2], 7);
  part.words[2] = at(i.sources[3], 0) | at(i.sources[4], 1) | at(i.units[0], 2) | at(i.units[1], 3) |
                  at(i.units[2], 4) | at(i.units[3], 5);
  return part;
}

WarpInstruction from_static_part(const StaticPart& part) {
  const auto& w = part.words;
  WarpInstruction i;
  i.pc = static_cast<std::uint32_t>(w[0]);
  i.op = static_cast<OpClass>(byte(w[0], 4));
  i.address_kind = static_cast<AddressKind>(byte(w[0], 5));
  i.width = byte(w[0], 6);
  i.first_use = byte(w[0], 7);
  i.non_coherent = byte(w[1], 0) != 0;
  i.bypass_l1 = byte(w[1], 1) != 0;
  i.destination = byte(w[1], 2);
  i.destination_count = byte(w[1], 3);
  i.weight = byte(w[1], 4);
  i.sources = {byte(w[1], 5), byte(w[1], 6), byte(w[1], 7), byte(w[2], 0), byte(w[2], 1)};
  i.units = {byte(w[2], 2), byte(w[2], 3), byte(w[2], 4), byte(w[2], 5)};
  return i;
}

std::uint32_t Dictionary::code(const StaticPart& part) {
  const auto inserted = codes_.emplace(part, size());
  if (inserted.second) entries_.push_back({part, from_static_part(part)});
  return inserted.first->second;
}

}  // namespace strata::traces::record
