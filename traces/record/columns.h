#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "traces/record/dictionary.h"
#include "traces/record/lane_form.h"

namespace strata::traces::record {

/// Predictions of writer and reader; only mispredictions are stored. Both call the same functions in the same
/// order. State is reset at each block, so that any block can be read alone.
class Predictor {
 public:
  static constexpr unsigned choices = 2;

  void begin_cta() { ++cta_; }
  void begin_warp() {
    ++warp_;
    previous_ = none;
    mask_ = 0xffffffff;
    masks_.fill(0);
  }
  History& history() { return entries_[previous_]; }
  History* entries() { return entries_.data(); }  ///< by code; valid until a code is inserted

  /// The instruction that followed the current one last time; initially the next one of the dictionary.
  std::uint32_t code() const { return previous_ == none ? first_code_ : entries_[previous_].successor; }
  void update_code(std::uint32_t code) {
    if (previous_ == none)
      first_code_ = code;
    else
      entries_[previous_].successor = code;
    ensure_entry(code);
    previous_ = code;
  }

  /// The predicted code was right.
  void advance(std::uint32_t code) { previous_ = code; }
  std::uint32_t present() const { return previous_; }

  std::uint32_t known() const { return known_; }  ///< number of entries
  /// Makes entries up to `code`, like update_code().
  void ensure_entry(std::uint32_t code) {
    if (code >= known_) grow(code);
  }

  /// The mask of the instruction before. masks() are the earlier ones of the warp, the latest first.
  std::uint32_t mask() const { return mask_; }
  const std::array<std::uint32_t, 8>& masks() const { return masks_; }
  void update_mask(std::uint32_t mask) { update_mask(mask, find_mask(mask)); }
  /// Index in masks(); 8 if not found.
  std::size_t find_mask(std::uint32_t mask) const {
    std::size_t place = 0;
    while (place < masks_.size() && masks_[place] != mask) ++place;
    return place;
  }
  void update_mask(std::uint32_t mask, std::size_t place) {
    for (std::size_t n = std::min(place, masks_.size() - 1); n > 0; --n) masks_[n] = masks_[n - 1];
    masks_.front() = mask_;
    mask_ = mask;
  }

  /// Prediction `choice` of the address of lane 0. 0: from this instruction's history (last step in a loop,
  /// between warps or between CTAs); 1: the same distance from the access before as last time.
  Address address(unsigned choice) const {
    const History& s = entries_[previous_];
    if (choice == 1 || s.warp == 0) return before_ + s.from_previous;
    if (s.warp == warp_) return s.last + step_of(s);
    if (s.cta == cta_) return s.warp_first + s.warp_step;
    return s.cta_first + s.cta_step;
  }
  void update_address(Address address) { update(entries_[previous_], address); }
  /// Predicts the current entry's address and updates the history with it.
  Address next_address(History& s) {
    if (s.choice != 0 || s.warp != warp_) {
      const Address address = this->address(s.choice);
      update(s, address);
      return address;
    }
    return update_step(s, step_of(s));
  }
  /// If the predicted address is `address`, updates the history and returns true.
  bool match_address(Address address) { return match_address(history(), address); }
  /// True if the entry's next address, `step` behind its last one, and all later ones are as predicted;
  /// `before` is the step of the access before it.
  bool stays_predicted(const History& s, Address step, Address before) const {
    return s.warp == warp_ && (s.choice == 0 ? s.looped && s.step == step : step == before);
  }
  /// Updates the history with the last of several such addresses; the access before it was at `before`.
  void skip(History& s, Address address, Address step, Address before) {
    s.last = address - step;
    before_ = before;
    update(s, address);
  }
  /// match_address() for an entry that the caller has found.
  bool match_address(History& s, Address address) {
    if (s.choice == 0 && s.warp == warp_) {
      const Address step = step_of(s);
      if (address != s.last + step) return false;
      update_step(s, step);
      return true;
    }
    const bool path = s.choice == 0 && s.warp != 0;
    const Address expected = !path           ? before_ + s.from_previous
                             : s.cta == cta_ ? s.warp_first + s.warp_step
                                             : s.cta_first + s.cta_step;
    if (address != expected) return false;
    update(s, address);
    return true;
  }

 private:
  static constexpr std::uint32_t none = 0xffffffff;

  /// The predicted step in a loop.
  Address step_of(const History& s) const { return s.looped ? s.step : loop_step_; }
  /// Updates the history with an address `step` behind the last one of this warp, and returns that address.
  Address update_step(History& s, Address step) {
    const Address address = s.last + step;
    loop_step_ = s.step = step;
    s.looped = true;
    s.from_previous = address - before_;
    return before_ = s.last = address;
  }
  void update(History& s, Address address) {
    if (s.warp == warp_) {
      update_step(s, address - s.last);
      return;
    }
    if (s.cta == cta_) {
      s.warp_step = address - s.warp_first;
    } else {
      if (s.cta != 0) s.cta_step = address - s.cta_first;
      s.cta_first = address;
      s.cta = cta_;
    }
    s.warp_first = address;
    s.warp = warp_;
    s.from_previous = address - before_;
    before_ = s.last = address;
  }
  void grow(std::uint32_t code) {
    for (; known_ <= code; entries_.back().successor = ++known_) entries_.emplace_back();
  }

  std::vector<History> entries_;
  std::uint32_t known_ = 0;  ///< number of entries
  std::uint32_t warp_ = 0, cta_ = 0;
  std::uint32_t previous_ = none;
  std::uint32_t first_code_ = 0;
  std::uint32_t mask_ = 0xffffffff;
  std::array<std::uint32_t, 8> masks_{};
  Address before_ = 0, loop_step_ = 0;
};

/// A block ends when it has this many instructions or CTAs; one CTA may have more instructions.
constexpr std::uint64_t block_instructions = std::uint64_t{1} << 17;
constexpr std::uint64_t block_ctas = 4096;

/// The columns of a block, or of some of its CTAs (docs/guide/trace-formats.md, "Record files").
struct Columns {
  std::string warps, flags, codes, masks, forms, addresses;
  std::array<std::string, 8> differences;
  static constexpr std::size_t count = 14;

  std::array<std::string*, count> all() {
    std::array<std::string*, count> list = {&warps, &flags, &codes, &masks, &forms, &addresses};
    for (std::size_t i = 0; i < differences.size(); ++i) list[6 + i] = &differences[i];
    return list;
  }
  std::size_t bytes() {
    std::size_t sum = 0;
    for (const std::string* column : all()) sum += column->size();
    return sum;
  }
  void append(Columns& more) {
    const auto to = all();
    const auto from = more.all();
    for (std::size_t i = 0; i < count; ++i) to[i]->append(*from[i]);
  }
  void clear() {
    for (std::string* column : all()) column->clear();
  }
};

/// Consecutive CTAs of one kernel, encoded.
struct EncodedCtas {
  std::uint64_t first = 0, count = 0, instructions = 0;
  bool begins_block = false;  ///< predictions are reset before
  Columns columns;
};

// Shared by writer and reader of a block.

// Flags of an instruction: which predictions failed, so that the column has a value.
constexpr unsigned new_code = 1, new_mask = 2, new_form = 4, new_address = 8, known_flags = 15;
// In the columns `masks` and `addresses`, smaller numbers name another prediction.
constexpr std::uint64_t mask_choices = 8, address_choices = Predictor::choices - 1;
constexpr std::size_t planes = 8;

/// Distance of the first active lane from lane 0 in a strided access.
inline Address strided_offset(const History& history, std::uint32_t mask) {
  return static_cast<Address>(static_cast<std::int64_t>(history.stride)) * first_lane(mask);
}
/// strided_offset() for an address list, if its form has it.
inline Address listed_offset(const LaneForm& form, const Lanes& lanes, const LaneMemory& memory,
                             std::uint32_t row) {
  const unsigned first = first_lane(lanes.mask);
  if (form.kind == LaneForm::grid) return form.offset(first);
  if (form.kind != LaneForm::moved) return 0;
  const Lanes& earlier = *memory.earlier(row, form.back);
  return moved_distance(earlier, first_lane(earlier.mask), first, lanes.width);
}

}  // namespace strata::traces::record
