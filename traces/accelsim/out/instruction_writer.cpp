#include "traces/accelsim/out/instruction_writer.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "models/common/coalesce.h"

namespace strata::traces {
namespace {

constexpr std::uint32_t places = 16;  // PCs per instruction

}  // namespace

void CopyGroups::begin() {
  under_way_.clear();
  groups_ = 0;
}

/// If all PCs are in use, the last one is used again.
std::uint32_t CopyGroups::pc_of(std::uint32_t pc, Address first_address) {
  const auto is_under_way = [&](std::uint32_t written) {
    return std::any_of(under_way_.begin(), under_way_.end(),
                       [&](const Copy& copy) { return copy.pc == written && copy.address == first_address; });
  };
  const std::uint32_t last = pc + places - 1;
  while (pc != last && is_under_way(pc)) ++pc;
  under_way_.push_back({pc, groups_, first_address});
  return pc;
}

std::uint32_t CopyGroups::wait(std::uint32_t left) {
  left = std::min(left, groups_);
  const std::uint32_t ended = groups_ - left;
  under_way_.erase(std::remove_if(under_way_.begin(), under_way_.end(),
                                  [&](const Copy& copy) { return copy.group < ended; }),
                   under_way_.end());
  return left;
}

namespace {

/// Registers that the reader assigns to the result of an access: opcode_table.cpp.
unsigned registers_of(const WarpInstruction& load) {
  return std::max(1U, unsigned{load.width} / 4);
}

}  // namespace

void RegisterPlan::begin(const CtaTrace& cta, std::uint32_t begin, std::uint32_t end) {
  cta_ = &cta;
  begin_ = at_ = begin;
  end_ = end;
  loads_.clear();
  next_shared_ = first_shared;
  busy_.reset();
  busy_.set(never_written);
  for (std::uint32_t i = begin; i < end; ++i) {
    const WarpInstruction& instruction = cta.instructions[i];
    for (const std::uint8_t source : instruction.sources)
      if (source != no_register) busy_.set(source);
    if (instruction.destination == no_register || reader_is_counted(instruction)) continue;
    const unsigned last =
        std::min<unsigned>(instruction.destination + instruction.destination_count, no_register);
    for (unsigned r = instruction.destination; r < last; ++r) busy_.set(r);
  }
}

RegisterPlan::Named RegisterPlan::next() {
  const WarpInstruction& instruction = cta_->instructions[at_];
  Named named;
  for (const std::uint8_t source : instruction.sources) {
    const auto end = named.sources.begin() + named.count;
    if (source == no_register || std::find(named.sources.begin(), end, source) != end) continue;
    if (named.count == most_sources)
      ++sources_dropped_;
    else
      named.sources[named.count++] = source;
  }
  add_due(named);
  if (reader_is_counted(instruction))
    named.destination = take(instruction, instruction.first_use);
  else if (instruction.op == OpClass::shared_load && instruction.destination == no_register)
    named.destination = take_in_turn(instruction);
  else
    named.destination = instruction.destination;
  ++at_;
  return named;
}

RegisterPlan::Named RegisterPlan::more() {
  Named named;
  --at_;  // the record before is still the reader
  add_due(named);
  ++at_;
  return named;
}

/// Loads that the current record is the first to read, as many as fit. The next instruction reads the others;
/// no instruction of the warp can pass it.
void RegisterPlan::add_due(Named& named) {
  const auto is_due = [this](const Load& load) { return load.reader <= at_ - begin_; };
  for (auto load = loads_.begin(); load != loads_.end();) {
    if (!is_due(*load)) {
      ++load;
      continue;
    }
    if (named.count == most_sources) {
      ++load;
      continue;
    }
    if (load->reader < at_ - begin_) ++waits_moved_;
    named.sources[named.count++] = load->first;
    for (unsigned r = load->first; r < unsigned{load->first} + load->count; ++r) busy_.reset(r);
    load = loads_.erase(load);
  }
}

/// The lowest free consecutive registers. A load whose reader is behind the end of the warp needs none; an
/// atomic needs one, or it would return nothing.
std::uint8_t RegisterPlan::take(const WarpInstruction& load, std::uint32_t distance) {
  if (distance >= end_ - at_ && load.op != OpClass::atomic) return no_register;
  const unsigned wanted = registers_of(load);
  unsigned free = 0;
  for (unsigned r = 0; r < no_register; ++r) {
    free = busy_.test(r) ? 0 : free + 1;
    if (free < wanted) continue;
    const unsigned first = r + 1 - wanted;
    for (unsigned used = first; used <= r; ++used) busy_.set(used);
    loads_.push_back(
        {at_ - begin_ + distance, static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(wanted)});
    return static_cast<std::uint8_t>(first);
  }
  ++without_register_;
  return no_register;
}

/// The next free consecutive registers. If all are in use, the first ones: the load may then wait for
/// another.
std::uint8_t RegisterPlan::take_in_turn(const WarpInstruction& load) {
  const unsigned wanted = registers_of(load);
  unsigned free = 0;
  for (unsigned tried = 0; tried < 2 * (end_shared - first_shared) && free < wanted; ++tried) {
    if (next_shared_ == end_shared) {
      next_shared_ = first_shared;
      free = 0;
    }
    free = busy_.test(next_shared_++) ? 0 : free + 1;
  }
  return static_cast<std::uint8_t>(free == wanted ? next_shared_ - wanted : first_shared);
}

namespace {

constexpr std::uint32_t pc_step = 16;          // bytes of an instruction from Volta on
constexpr std::size_t most_bulk_lanes = 4096;  // as many differences fit in a line of 65536 characters

void add_number(std::string& text, std::uint64_t number) {
  char digits[24];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

void add_signed(std::string& text, std::int64_t number) {
  char digits[24];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

void add_hexadecimal(std::string& text, std::uint64_t number, std::size_t least_digits) {
  char digits[24];
  const char* const end = std::to_chars(digits, digits + sizeof digits, number, 16).ptr;
  const auto length = static_cast<std::size_t>(end - digits);
  if (length < least_digits) text.append(least_digits - length, '0');
  text.append(digits, length);
}

/// The fields up to the access width: PC, mask, destination, opcode and sources.
void add_head(std::string& text, std::uint32_t pc, std::uint32_t mask, const RegisterPlan::Named& named,
              std::string_view opcode) {
  add_hexadecimal(text, pc, 4);
  text += ' ';
  add_hexadecimal(text, mask, 8);
  if (named.destination == no_register) {
    text += " 0 ";
  } else {
    text += " 1 R";
    add_number(text, named.destination);
    text += ' ';
  }
  text += opcode;
  text += ' ';
  add_number(text, named.count);
  for (std::size_t i = 0; i < named.count; ++i) {
    text += " R";
    add_number(text, named.sources[i]);
  }
  text += ' ';
}

/// An instruction without memory access, with one immediate.
void add_plain(std::string& text, std::uint32_t pc, std::uint32_t mask, const RegisterPlan::Named& named,
               std::string_view opcode, std::uint64_t immediate = 0) {
  add_head(text, pc, mask, named, opcode);
  text += "0 ";
  add_number(text, immediate);
  text += '\n';
}

std::string_view opcode_of(Unit unit) {
  switch (unit) {
    case Unit::sp:
      return "FFMA";
    case Unit::dp:
      return "DFMA";
    case Unit::tensor:
      return "HMMA.1688.F32";
    case Unit::branch:
      return "BRA";
    case Unit::sfu:
      return "MUFU.RCP";
    case Unit::integer:
      return "IADD3";
    default:
      return "NOP";  // an issue slot
  }
}

/// Suffix such as `.64` for other widths than 4 B.
std::string_view width_token(unsigned width) {
  switch (width) {
    case 1:
      return ".U8";
    case 2:
      return ".U16";
    case 8:
      return ".64";
    case 16:
      return ".128";
    default:
      return "";
  }
}

std::string opcode_of_access(const WarpInstruction& i, bool returns) {
  const std::string width(width_token(i.width));
  if (i.local && touches_global_memory(i.op)) return (i.op == OpClass::store ? "STL" : "LDL") + width;
  switch (i.op) {
    case OpClass::load:
    case OpClass::read_only_load:
      if (i.async || i.bulk) return "LDGSTS.E" + std::string(i.bypass_l1 ? ".BYPASS" : ".ACCESS") + width;
      return "LDG.E" + width + (i.op == OpClass::read_only_load ? ".CONSTANT" : "") +
             (i.bypass_l1 ? ".STRONG.GPU" : "");
    case OpClass::store:
      return "STG.E" + width + (i.bypass_l1 ? ".STRONG.GPU" : "");
    case OpClass::atomic:
      return (returns ? "ATOMG.E.ADD" : "RED.E.ADD") + width + ".STRONG.GPU";
    case OpClass::shared_store:
      return "STS" + width;
    default:
      return "LDS" + width;
  }
}

bool is_access(const WarpInstruction& i) {
  return touches_global_memory(i.op) || touches_shared_memory(i.op);
}

/// Opcode of an operation on a barrier in shared memory, and the value of its register operand; 0 if it has
/// none.
struct MbarrierLine {
  std::string_view opcode;
  std::uint64_t value = 0;
};
MbarrierLine mbarrier_line(const WarpInstruction& i) {
  constexpr std::uint64_t whole = 1U << 20;
  constexpr unsigned parity_bit = 31;
  const std::uint64_t bytes = std::uint64_t{16} * (i.operand & ~expect_alone);
  switch (i.sync) {
    case Sync::mbarrier_init:
      return {"SYNCS.EXCH.64", (whole - i.operand) << 1};
    case Sync::mbarrier_arrive:
      return i.operand == 1 ? MbarrierLine{"SYNCS.ARRIVE.TRANS64.A1T0"}
                            : MbarrierLine{"SYNCS.ARRIVE.TRANS64.ART0", i.operand};
    case Sync::mbarrier_expect:
      return {(i.operand & expect_alone) != 0 ? "SYNCS.ARRIVE.TRANS64.RED.A0TR" : "SYNCS.ARRIVE.TRANS64",
              bytes};
    case Sync::mbarrier_copies:
      return {i.operand == 0 ? "ARRIVES.LDGSTSBAR.64.TRANSCNT" : "ARRIVES.LDGSTSBAR.64.ARVCNT"};
    case Sync::mbarrier_wait:
      return {"SYNCS.PHASECHK.TRANS64.TRYWAIT", std::uint64_t{i.operand & 1U} << parity_bit};
    case Sync::mbarrier_phase:
      return {"SYNCS.PHASECHK.TRANS64.TRYWAIT", std::uint64_t{(i.operand - 1U) & 1U} << parity_bit};
    default:
      return {};
  }
}

/// Converts an address of local memory to the thread's view. Rows of `warps` warps hold the same word of all
/// their lanes.
Address local_offset(Address address, std::uint16_t warps) {
  constexpr Address base = 0x7f0000000000 - (Address{1} << 36), row_bytes = 32 * 4;
  const Address rows = std::max<Address>(warps, 1);
  return (address - base) / row_bytes / rows * 4 + address % 4;
}

/// Number of leading active lanes that are consecutive.
bool side_by_side(std::uint32_t mask) {
  if (mask == 0) return true;
  const std::uint32_t from_first = mask >> static_cast<unsigned>(__builtin_ctz(mask));
  return (from_first & (from_first + 1)) == 0;
}

/// Distributes a record's instructions over units as evenly as possible.
class Shares {
 public:
  explicit Shares(const WarpInstruction& i) : weight_(i.weight != 0 ? i.weight : 1) {
    unsigned left = weight_;
    for (std::size_t k = 0; k < counted_units && i.op != OpClass::sfu; ++k) {
      const unsigned here = std::min<unsigned>(i.units[k], left);
      counts_[k] = static_cast<int>(here);
      left -= here;
    }
    counts_[counted_units] = static_cast<int>(left);
    rest_ = i.op == OpClass::sfu ? Unit::sfu : i.op == OpClass::alu ? Unit::integer : Unit::none;
  }
  unsigned weight() const { return weight_; }
  bool has_branches() const { return counts_[counted_place(Unit::branch)] != 0; }
  /// The next unit; each unit is returned as often as the record has it.
  Unit next() {
    std::size_t most = 0;
    for (std::size_t k = 0; k < counts_.size(); ++k) {
      credits_[k] += counts_[k];
      if (credits_[k] > credits_[most]) most = k;
    }
    credits_[most] -= static_cast<int>(weight_);
    return most == counted_units ? rest_ : static_cast<Unit>(static_cast<std::size_t>(Unit::sp) + most);
  }

 private:
  unsigned weight_;
  Unit rest_;
  std::array<int, counted_units + 1> counts_{}, credits_{};
};

}  // namespace

ExportLosses InstructionWriter::losses() const {
  ExportLosses all = losses_;
  all.waits_moved = registers_.waits_moved();
  all.sources_dropped = registers_.sources_dropped();
  all.without_register = registers_.without_register();
  return all;
}

void InstructionWriter::add_warp(const CtaTrace& cta, std::uint32_t warp, std::string& text) {
  const std::uint32_t begin = cta.warp_begin[warp], end = cta.warp_begin[warp + 1];
  std::uint64_t count = 0;
  for (std::uint32_t i = begin; i < end; ++i) {
    const WarpInstruction& instruction = cta.instructions[i];
    if (const BulkLoad load = bulk_load(cta, i, end); load.end != 0) {
      for (; i + 1 < load.end; ++i) count += touches_shared_memory(cta.instructions[i].op) ? 1 : 0;
      ++count;
      continue;
    }
    count += is_access(instruction) || instruction.weight == 0 ? 1 : instruction.weight;
  }
  text += "warp = ";
  add_number(text, warp);
  text += "\ninsts = ";
  add_number(text, count);
  text += '\n';
  registers_.begin(cta, begin, end);
  copies_.begin();
  for (std::uint32_t i = begin; i < end; ++i) {
    if (const BulkLoad load = bulk_load(cta, i, end); load.end != 0) {
      add_bulk_load(cta, load, i, text);
      i = load.end - 1;
      continue;
    }
    add_record(cta, cta.instructions[i], i == begin ? nullptr : &cta.instructions[i - 1], text);
  }
  text += '\n';
  instructions_ += count;
}

void InstructionWriter::add_record(const CtaTrace& cta, const WarpInstruction& instruction,
                                   const WarpInstruction* before, std::string& text) {
  RegisterPlan::Named named = registers_.next();
  // Keeps KernelFile::merge_run() from merging two runs.
  if (instruction.op == OpClass::alu && before != nullptr && before->op == OpClass::alu && named.count == 0)
    named.sources[named.count++] = RegisterPlan::never_written;
  const std::uint32_t mask = instruction.active_mask;
  switch (instruction.sync) {
    case Sync::none:
    case Sync::barrier_sync:
    case Sync::barrier_arrive:
      break;
    case Sync::copy_commit:
      needs_ampere_ = true;
      copies_.commit();
      return add_plain(text, instruction.pc, mask, named, "LDGDEPBAR");
    case Sync::copy_wait:
      needs_ampere_ = true;
      return add_plain(text, instruction.pc, mask, named, "DEPBAR.LE", copies_.wait(instruction.operand));
    case Sync::cluster_arrive:
    case Sync::cluster_wait:
      needs_hopper_ = true;
      return add_plain(text, instruction.pc, mask, named,
                       instruction.sync == Sync::cluster_arrive ? "UCGABAR_ARV" : "UCGABAR_WAIT");
    case Sync::mbarrier_init:
    case Sync::mbarrier_arrive:
    case Sync::mbarrier_expect:
    case Sync::mbarrier_copies:
    case Sync::mbarrier_wait:
    case Sync::mbarrier_phase:
      if (touches_shared_memory(instruction.op)) return add_mbarrier(cta, instruction, named, text);
      ++losses_.orders;
      break;
    default:
      ++losses_.orders;
      break;
  }
  if (instruction.bulk && touches_global_memory(instruction.op)) ++losses_.bulk_copies;
  if (is_access(instruction))
    add_access(cta, instruction, named, text);
  else if (instruction.op == OpClass::barrier)
    add_barrier(instruction, named, cta.warps(), text);
  else if (instruction.op == OpClass::exit)
    add_plain(text, instruction.pc, mask, named, "EXIT");
  else
    add_run(instruction, named, text);
}

/// With a register's value behind `Val`, so that readers need not guess it.
void InstructionWriter::add_mbarrier(const CtaTrace& cta, const WarpInstruction& instruction,
                                     const RegisterPlan::Named& named, std::string& text) {
  needs_hopper_ = needs_second_immediate_ = true;
  const MbarrierLine line = mbarrier_line(instruction);
  Lanes address{};
  const int lanes = lane_addresses(instruction, cta, address);
  for (int i = 0; i < lanes; ++i) {  // 1 + the rank of another block, where SASS has the rank
    Address& of_lane = address[static_cast<std::size_t>(i)];
    if (of_lane >> 24 != 0) of_lane -= Address{1} << 24;
  }
  RegisterPlan::Named none;
  add_head(text, instruction.pc, instruction.active_mask, none, line.opcode);
  text.resize(text.size() - 2);  // number of sources: address and value come first
  const unsigned others = std::min<unsigned>(named.count, RegisterPlan::most_sources - 2);
  add_number(text, 2 + others);
  text += " UR4 UR6";
  for (unsigned i = 0; i < others; ++i) text.append(" R").append(std::to_string(named.sources[i]));
  losses_.sources_dropped += named.count - others;
  text += " 8 ";
  add_addresses(instruction, lanes, address, text);
  text += " 0 Val 1 0x";
  add_hexadecimal(text, lanes == 0 ? 0 : address[0], 1);
  text += " 1 0x";
  add_hexadecimal(text, line.value, 1);
  for (unsigned i = 0; i < others; ++i) text += " 1 0x0";
  text += '\n';
}

/// The parts of a bulk load, including those in shared memory, up to its report to a barrier of this block.
InstructionWriter::BulkLoad InstructionWriter::bulk_load(const CtaTrace& cta, std::uint32_t from,
                                                         std::uint32_t end) {
  BulkLoad load;
  const auto is_part = [&](const WarpInstruction& i) { return i.bulk && i.async && i.op == OpClass::load; };
  if (!is_part(cta.instructions[from])) return load;
  std::uint32_t at = from;
  for (; at < end && (is_part(cta.instructions[at]) ||
                      (cta.instructions[at].bulk && cta.instructions[at].op == OpClass::shared_store));
       ++at) {
    if (!is_part(cta.instructions[at])) continue;
    Lanes address{};
    const int lanes = lane_addresses(cta.instructions[at], cta, address);
    load.lanes.insert(load.lanes.end(), address.begin(), address.begin() + lanes);
  }
  if (at == end || cta.instructions[at].sync != Sync::bulk_arrive ||
      cta.instructions[at].address >> 24 != 0 || load.lanes.size() > most_bulk_lanes)
    return {};
  load.end = at + 1;
  return load;
}

/// Its places are lanes of 16 B; the write to shared memory follows.
void InstructionWriter::add_bulk_load(const CtaTrace& cta, const BulkLoad& load, std::uint32_t from,
                                      std::string& text) {
  needs_hopper_ = needs_second_immediate_ = true;
  const WarpInstruction& report = cta.instructions[load.end - 1];
  RegisterPlan::Named named;
  std::string stores;
  for (std::uint32_t at = from; at < load.end; ++at) {
    const RegisterPlan::Named own = registers_.next();
    if (touches_shared_memory(cta.instructions[at].op) && at + 1 < load.end) {
      WarpInstruction store = cta.instructions[at];
      store.async = store.bulk = false;
      add_access(cta, store, own, stores);
      continue;
    }
    for (unsigned i = 0; i < own.count && named.count < RegisterPlan::most_sources; ++i)
      named.sources[named.count++] = own.sources[i];
  }
  constexpr std::uint64_t lane_bytes = 16;
  const std::uint64_t bytes = lane_bytes * report.operand, read = lane_bytes * load.lanes.size();
  add_head(text, cta.instructions[from].pc, report.active_mask, named, "UBLKCP.S.G");
  text += "16 0x";
  add_hexadecimal(text, report.address, 1);
  text += " 0 ";
  add_number(text, std::max(bytes, read));
  text += ' ';
  add_number(text, bytes > read ? bytes - read : 0);
  text += " 4 0x";
  add_hexadecimal(text, load.lanes.front(), 1);
  text += ' ';
  add_number(text, load.lanes.size());
  for (std::size_t i = 1; i < load.lanes.size(); ++i) {
    text += ' ';
    add_signed(text, static_cast<std::int64_t>(load.lanes[i] - load.lanes[i - 1]));
  }
  text += " 0 0 NoVal\n" + stores;
}

/// The first instruction reads the record's sources, the last one writes its destination.
void InstructionWriter::add_run(const WarpInstruction& instruction, RegisterPlan::Named named,
                                std::string& text) {
  Shares shares(instruction);
  if (instruction.op == OpClass::alu && shares.has_branches()) branches_are_arithmetic_ = true;
  if (shares.weight() > 1) has_runs_ = true;
  const std::uint8_t destination = named.destination;
  for (unsigned i = 0; i < shares.weight(); ++i) {
    if (i != 0) named = registers_.more();
    named.destination = i + 1 == shares.weight() ? destination : no_register;
    add_plain(text, instruction.pc + i * pc_step, instruction.active_mask, named, opcode_of(shares.next()));
  }
}

/// For barriers other than 0 the number of threads is always written: readers could only guess it.
void InstructionWriter::add_barrier(const WarpInstruction& instruction, const RegisterPlan::Named& named,
                                    std::size_t all_warps, std::string& text) {
  const bool arrives = instruction.sync == Sync::barrier_arrive;
  const bool numbered = arrives || instruction.sync == Sync::barrier_sync;
  const unsigned barrier = numbered ? barrier_of(instruction.operand) : 0;
  std::size_t warps = numbered ? barrier_warps(instruction.operand) : 0;
  if (warps == 0 && barrier != 0) warps = all_warps;
  add_plain(text, instruction.pc, instruction.active_mask, named,
            arrives ? "BAR.ARV" : "BAR.SYNC.DEFER_BLOCKING", barrier);
  if (warps == 0) return;
  needs_second_immediate_ = true;
  text.back() = ' ';
  add_number(text, warps * 32);  // SASS counts threads
  text += '\n';
}

void InstructionWriter::add_access(const CtaTrace& cta, const WarpInstruction& instruction,
                                   const RegisterPlan::Named& named, std::string& text) {
  Lanes address{};
  const int lanes = instruction.address_kind == AddressKind::none ? instruction.active_lanes()
                                                                  : lane_addresses(instruction, cta, address);
  if (instruction.local && touches_global_memory(instruction.op))
    for (int i = 0; i < lanes; ++i) {
      Address& of_lane = address[static_cast<std::size_t>(i)];
      of_lane = local_offset(of_lane, instruction.operand);
    }
  const bool returns = named.destination != no_register || instruction.first_use != unknown_distance;
  const bool copies = (instruction.async || instruction.bulk) && instruction.op != OpClass::store;
  std::uint32_t pc = instruction.pc;
  if (copies && touches_global_memory(instruction.op)) {
    needs_ampere_ = true;
    const bool first_lane = (instruction.active_mask & 1U) != 0;
    if (instruction.active_mask != 0) pc = copies_.pc_of(pc, first_lane ? address[0] : 0);
  }
  add_head(text, pc, instruction.active_mask, named, opcode_of_access(instruction, returns));
  add_number(text, instruction.width != 0 ? instruction.width : 4);
  text += ' ';
  add_addresses(instruction, lanes, address, text);
  text += '\n';
}

/// A stride if the active lanes are consecutive, as Accel-Sim expects; else differences, or addresses if
/// those are far apart.
void InstructionWriter::add_addresses(const WarpInstruction& instruction, int lanes, const Lanes& address,
                                      std::string& text) {
  const auto at = [&](int lane) { return address[static_cast<std::size_t>(lane)]; };
  const auto step = [&](int lane) { return static_cast<std::int64_t>(at(lane) - at(lane - 1)); };
  bool regular = side_by_side(instruction.active_mask), near = true;
  for (int lane = 1; lane < lanes; ++lane) {
    regular = regular && step(lane) == step(1);
    near = near && std::abs(step(lane)) < std::int64_t{1} << 31;
  }
  text += regular && near ? "1 0x" : near ? "2 0x" : "0 0x";
  add_hexadecimal(text, at(0), 1);
  if (regular && near) {
    text += ' ';
    add_signed(text, lanes > 1 ? step(1) : 0);
  } else {
    for (int lane = 1; lane < lanes; ++lane) {
      text += near ? " " : " 0x";
      near ? add_signed(text, step(lane)) : add_hexadecimal(text, at(lane), 1);
    }
  }
  text += " 0";
}

}  // namespace strata::traces
