#include "models/sm_cluster/packed_cta.h"

#include <cstddef>
#include <cstring>
#include <limits>

namespace strata {
namespace {

constexpr std::uint32_t full_mask = ~std::uint32_t{0};
constexpr std::size_t most_words = 5;  // of an instruction: itself, mask, stride, a far address
constexpr std::uint32_t form_bits = 28;
constexpr std::uint32_t form_of = (std::uint32_t{1} << form_bits) - 1;
constexpr std::uint32_t has_mask = std::uint32_t{1} << form_bits;
constexpr std::uint32_t has_stride = has_mask << 1;
constexpr std::uint32_t has_address = has_mask << 2;
constexpr std::uint32_t far_address = has_mask << 3;  // two words

const char* form_data(const WarpInstruction& instruction) {
  return reinterpret_cast<const char*>(&instruction) + form_begin;
}

// A run of a list: how often its lanes lie at a distance from the one before, and the distance; in front of
// two more words with the distance when it does not fit.
constexpr unsigned run_bits = 5;
constexpr std::int64_t far_run = -(std::int64_t{1} << (31 - run_bits));

std::uint32_t low(std::int64_t value) {
  return static_cast<std::uint32_t>(value);
}
std::uint32_t high(std::int64_t value) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(value) >> 32);
}
std::int64_t joined(std::uint32_t low_word, std::uint32_t high_word) {
  return static_cast<std::int64_t>(std::uint64_t{high_word} << 32 | low_word);
}

}  // namespace

std::size_t InstructionForms::hash(const WarpInstruction& instruction) {
  std::uint64_t words[3] = {};
  std::memcpy(words, form_data(instruction), form_bytes);
  std::uint64_t value = words[0] * 0x9e3779b97f4a7c15;
  value = (value ^ value >> 32 ^ words[1]) * 0x9e3779b97f4a7c15;
  value = (value ^ value >> 32 ^ words[2]) * 0x9e3779b97f4a7c15;
  return static_cast<std::size_t>(value ^ value >> 32);
}

void InstructionForms::clear() {
  forms_.clear();
  successors_.clear();
  buckets_.assign(64, 0);
  last_ = 0;
  add(WarpInstruction());  // so that there is always one to guess
}

std::uint32_t InstructionForms::add(const WarpInstruction& instruction) {
  if (2 * (forms_.size() + 1) > buckets_.size()) grow();
  std::size_t bucket = hash(instruction) & (buckets_.size() - 1);
  while (buckets_[bucket] != 0) bucket = (bucket + 1) & (buckets_.size() - 1);
  forms_.push_back(instruction);
  forms_.back().address = 0;
  forms_.back().active_mask = full_mask;
  successors_.emplace_back();
  return (buckets_[bucket] = static_cast<std::uint32_t>(forms_.size())) - 1;
}

std::uint32_t InstructionForms::look_up(const WarpInstruction& instruction) {
  const std::size_t mask = buckets_.size() - 1;
  std::size_t bucket = hash(instruction) & mask;
  while (buckets_[bucket] != 0 && !same(forms_[buckets_[bucket] - 1], instruction))
    bucket = (bucket + 1) & mask;
  const std::uint32_t form = buckets_[bucket] != 0 ? buckets_[bucket] - 1 : add(instruction);
  successors_[last_] = {form, successors_[last_].last};
  return last_ = form;
}

void InstructionForms::grow() {
  buckets_.assign(2 * buckets_.size(), 0);
  for (std::uint32_t form = 0; form < forms_.size(); ++form) {
    std::size_t bucket = hash(forms_[form]) & (buckets_.size() - 1);
    while (buckets_[bucket] != 0) bucket = (bucket + 1) & (buckets_.size() - 1);
    buckets_[bucket] = form + 1;
  }
}

void PackedCta::pack(const CtaTrace& cta, InstructionForms& forms) {
  const std::size_t warps = cta.warps();
  begin_.resize(warps);
  lists_.clear();
  std::uint32_t* const room = forms.room(most_words * cta.instructions.size());
  std::uint32_t* out = room;
  for (std::size_t w = 0; w < warps; ++w) {
    begin_[w] = static_cast<std::size_t>(out - room);
    Address before = 0;
    for (std::uint32_t i = cta.warp_begin[w]; i < cta.warp_begin[w + 1]; ++i)
      out = write(cta, cta.instructions[i], forms, before, out);
  }
  words_.assign(room, out);
}

void PackedCta::clear() {
  words_ = {};
  lists_ = {};
  begin_ = {};
}

inline std::uint32_t* PackedCta::write(const CtaTrace& cta, const WarpInstruction& instruction,
                                       InstructionForms& forms, Address& before, std::uint32_t* out) {
  const std::uint32_t form = forms.find(instruction);
  const bool list = instruction.address_kind == AddressKind::list;
  const Address address = list ? write_list(&cta.addresses[instruction.address], instruction.active_lanes())
                               : instruction.address;
  const auto distance = static_cast<std::int64_t>(address - (list ? 0 : before));
  const bool near = distance == static_cast<std::int32_t>(distance);
  const std::uint32_t flags = (instruction.active_mask != full_mask ? has_mask : 0) |
                              (instruction.stride != forms[form].stride ? has_stride : 0) |
                              (address == 0 ? 0
                               : near       ? has_address
                                            : far_address);
  *out++ = form | flags;
  if ((flags & has_mask) != 0) *out++ = instruction.active_mask;
  if ((flags & has_stride) != 0) *out++ = static_cast<std::uint32_t>(instruction.stride);
  if (address == 0) return out;
  *out++ = low(distance);
  if (!near) *out++ = high(distance);
  if (!list) before = address;
  return out;
}

Address PackedCta::write_list(const Address* first, int lanes) {
  const Address index = lists_.size();
  if (lanes == 0) return index;
  lists_.push_back(low(static_cast<std::int64_t>(*first)));
  lists_.push_back(high(static_cast<std::int64_t>(*first)));
  for (int lane = 1; lane < lanes;) {
    const auto distance = static_cast<std::int64_t>(first[lane] - first[lane - 1]);
    int run = 1;
    while (lane + run < lanes &&
           static_cast<std::int64_t>(first[lane + run] - first[lane + run - 1]) == distance)
      ++run;
    lane += run;
    const bool far = distance <= far_run || distance >= -far_run;
    lists_.push_back(low(far ? far_run : distance) << run_bits | static_cast<std::uint32_t>(run - 1));
    if (!far) continue;
    lists_.push_back(low(distance));
    lists_.push_back(high(distance));
  }
  return index;
}

void PackedCta::read(Reader& reader, const InstructionForms& forms, WarpInstruction* out,
                     std::uint32_t count) {
  const std::uint32_t* at = reader.at;
  for (WarpInstruction* const end = out + count; out != end; ++out) {
    const std::uint32_t word = *at++;
    *out = forms[word & form_of];
    if ((word & has_mask) != 0) out->active_mask = *at++;
    if ((word & has_stride) != 0) out->stride = static_cast<std::int32_t>(*at++);
    if ((word & (has_address | far_address)) == 0) continue;
    auto distance = static_cast<std::int64_t>(static_cast<std::int32_t>(*at++));
    if ((word & far_address) != 0) distance = joined(low(distance), *at++);
    out->address = static_cast<Address>(distance);
    if (out->address_kind != AddressKind::list) out->address = reader.address += out->address;
  }
  reader.at = at;
}

void PackedCta::read_list(WarpInstruction& instruction, CtaTrace& pool) const {
  const auto lanes = static_cast<std::size_t>(instruction.active_lanes());
  pool.addresses.clear();
  const std::uint32_t* at = lists_.data() + instruction.address;
  instruction.address = 0;
  if (lanes == 0) return;
  pool.addresses.push_back(static_cast<Address>(joined(at[0], at[1])));
  at += 2;
  while (pool.addresses.size() < lanes) {
    const std::uint32_t word = *at++;
    std::int64_t distance = static_cast<std::int32_t>(word) >> run_bits;
    if (distance == far_run) {
      distance = joined(at[0], at[1]);
      at += 2;
    }
    for (std::uint32_t run = (word & ((1U << run_bits) - 1)) + 1; run > 0; --run)
      pool.addresses.push_back(pool.addresses.back() + static_cast<Address>(distance));
  }
}

}  // namespace strata
