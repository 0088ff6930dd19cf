#include "traces/record/access_counts.h"

#include <array>

namespace strata::traces::record {
namespace {

/// Distinct lines of one access. Most come in ascending order; a filter of 64 bits avoids most searches for
/// the others.
class LineNumbers {
 public:
  void add(Address number) {
    const std::uint64_t bit = std::uint64_t{1} << (number & 63);
    if ((filter_ & bit) != 0 && known(number)) return;
    filter_ |= bit;
    numbers_[count_++] = number;
  }
  std::size_t count() const { return count_; }

 private:
  bool known(Address number) const {
    for (std::size_t i = count_; i-- > 0;)
      if (numbers_[i] == number) return true;
    return false;
  }

  std::array<Address, 64> numbers_;  // at most two per lane
  std::size_t count_ = 0;
  std::uint64_t filter_ = 0;
};

/// True for aligned lanes at least a line apart: no two share a line.
bool are_apart(const WarpInstruction& access) {
  const std::int64_t stride = access.stride;
  const Address unaligned = (access.address | static_cast<Address>(stride)) & (access.width - 1U);
  if ((stride < 0 ? -stride : stride) < static_cast<int>(AccessCounts::line_bytes) || unaligned != 0)
    return false;
  const Address last = access.address + static_cast<Address>((access.active_lanes() - 1) * stride);
  return stride > 0 ? access.address != 0 && last >= access.address
                    : last != 0 && last <= access.address;  // else the lanes wrap around address 0
}

}  // namespace

AccessShape AccessCounts::shape_of(const WarpInstruction& instruction) {
  AccessShape shape;
  shape.shared = touches_shared_memory(instruction.op);
  shape.global = touches_global_memory(instruction.op);
  if (!shape.global || instruction.address_kind != AddressKind::stride || instruction.active_mask == 0 ||
      instruction.width == 0 || instruction.stride < 0 || instruction.stride > static_cast<int>(line_bytes))
    return shape;
  shape.dense = true;
  shape.span = static_cast<std::uint32_t>((instruction.active_lanes() - 1) * instruction.stride +
                                          instruction.width - 1);
  return shape;
}

void AccessCounts::add_steps(WarpInstruction instruction, const AccessShape& shape, Address step,
                             std::uint64_t times) {
  if (shape.shared) {
    shared += times;
    return;
  }
  if (!shape.global) return;
  const Address first = instruction.address;
  const auto distance = static_cast<std::int64_t>(step) * static_cast<std::int64_t>(times - 1);
  const auto ends = [&](Address low) { return low >= Address{1} << 30 && low < Address{1} << 60; };
  const bool near = static_cast<std::int64_t>(step) < 1 << 24 && static_cast<std::int64_t>(step) > -(1 << 24);
  // Each touches as many lines as the first if its offset in the line is the same, or if it stays in one
  // line.
  const Address aligned = (first | step) & (~(first | step) + 1);
  const bool alike = step % line_bytes == 0 ||
                     (shape.dense && shape.span < aligned && shape.span < line_bytes) ||
                     (are_apart(instruction) && step % instruction.width == 0);
  if (alike && near && times < std::uint64_t{1} << 32 && ends(first) &&
      ends(first + static_cast<Address>(distance)) && instruction.stride < 1 << 24 &&
      instruction.stride > -(1 << 24)) {
    accesses += times;
    lines += times * (shape.dense ? dense_lines(first, shape) : lines_of(instruction, nullptr));
    return;
  }
  for (; times > 0; --times, instruction.address += step) add(instruction, nullptr, shape);
}

std::uint64_t AccessCounts::lines_of_grid(const WarpInstruction& instruction, const Address* addresses,
                                          const LaneForm& form) {
  const Address first = addresses[instruction.address];
  const unsigned columns = 1u << form.columns;
  const Address all = form.a * (columns - 1) + form.b * (32 / columns - 1) + instruction.width - 1;
  const bool ascending = form.a <= line_bytes && form.b < Address{1} << 48;  // rows have no gaps of a line
  if (!ascending || first < line_bytes || first + all < first) return lines_of(instruction, addresses);
  std::uint64_t lines = 0;
  Address next = 0;  // behind the last line of earlier rows
  const Address span = form.a * (columns - 1) + instruction.width - 1;
  for (Address row = first, rows = 32 / columns; rows > 0; --rows, row += form.b) {
    const Address low = row / line_bytes > next ? row / line_bytes : next,
                  end = (row + span) / line_bytes + 1;
    lines += end > low ? end - low : 0;
    next = end > next ? end : next;
  }
  return lines;
}

std::uint64_t AccessCounts::lines_of(const WarpInstruction& instruction, const Address* addresses) {
  if (instruction.active_mask == 0 || instruction.address_kind == AddressKind::none || instruction.width == 0)
    return 0;
  const auto lanes = static_cast<unsigned>(instruction.active_lanes());
  std::array<Address, 32> strided;
  const Address* lane = strided.data();
  if (instruction.address_kind == AddressKind::list) {
    lane = addresses + instruction.address;
  } else if (are_apart(instruction)) {
    return lanes;
  } else {
    for (unsigned i = 0; i < lanes; ++i)
      strided[i] = instruction.address + static_cast<Address>(std::int64_t{instruction.stride} * i);
  }
  LineNumbers lines;
  Address before = ~Address{0}, unaligned = 0;
  bool first_line = false;
  for (unsigned i = 0; i < lanes; ++i) {
    const Address number = lane[i] / line_bytes;
    unaligned |= lane[i];
    if (number == before) continue;  // the common case
    before = number;
    if (number == 0)
      first_line = true;
    else
      lines.add(number);
  }
  const Address across = instruction.width - 1U;
  if ((unaligned & across) == 0 && !first_line) return lines.count();
  for (unsigned i = 0; i < lanes; ++i) {
    if (lane[i] == 0) continue;  // like coalesce()
    lines.add(lane[i] / line_bytes);
    if (lane[i] + across >= lane[i]) lines.add((lane[i] + across) / line_bytes);
  }
  return lines.count();
}

}  // namespace strata::traces::record
