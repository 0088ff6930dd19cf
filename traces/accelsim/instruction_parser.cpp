#include "traces/accelsim/instruction_parser.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "models/common/faults.h"
#include "traces/accelsim/opcode_table.h"
#include "traces/accelsim/thread_block_finish.h"
#include "traces/instruction_effect.h"

namespace strata::traces {
namespace {

constexpr std::string_view bulk_opcodes[] = {"UBLKCP", "UBLKPF",   "UBLKRED", "UTMALDG",
                                             "UTMAPF", "UTMAREDG", "UTMASTG"};
constexpr unsigned lane_bytes = 16, most_gap = 128;
constexpr std::uint64_t most_place_bytes = 4096;  // limit of one request of a copy engine
constexpr std::uint32_t list_mode = 3, delta_mode = 4;
constexpr std::uint32_t most_places = 1 << 15;  // a line has 65536 characters

}  // namespace

bool is_bulk_copy(std::string_view opcode) {
  return std::find(std::begin(bulk_opcodes), std::end(bulk_opcodes), opcode.substr(0, opcode.find('.'))) !=
         std::end(bulk_opcodes);
}

OpClass bulk_access(std::string_view opcode) {
  const std::string_view base = opcode.substr(0, opcode.find('.'));
  if (base == "UTMALDG" || base == "UTMAPF" || base == "UBLKPF") return OpClass::load;
  if (base == "UTMASTG" || base == "UTMAREDG" || base == "UBLKRED") return OpClass::store;
  if (opcode.find(".S.G") != std::string_view::npos) return OpClass::load;
  if (opcode.find(".G.S") != std::string_view::npos) return OpClass::store;
  return OpClass::other;
}

unsigned BulkOperands::place_bytes() const {
  if (places.empty()) return 0;
  std::uint64_t each = bytes > outside ? (bytes - outside) / places.size() : 0;
  for (std::size_t i = 1; each == 0 && i < places.size(); ++i)
    if (places[i] > places[i - 1]) each = std::min<std::uint64_t>(places[i] - places[i - 1], most_gap);
  each = std::min(each, most_place_bytes);
  return each <= lane_bytes ? lane_bytes
                            : static_cast<unsigned>((each + lane_bytes - 1) / lane_bytes * lane_bytes);
}

void BulkOperands::add_pieces(WarpInstruction copy, OpClass access, CtaTrace& cta) const {
  copy.op = access;
  copy.width = lane_bytes;
  copy.async = copy.bulk = true;
  copy.bypass_l1 = access == OpClass::load;
  copy.destination = no_register;
  std::vector<Address> lanes;
  const auto flush = [&] {
    const std::size_t count = lanes.size();
    copy.active_mask = count == 32 ? ~0U : (1U << count) - 1;
    bool regular = true;
    for (std::size_t i = 1; i < count; ++i) regular = regular && lanes[i] - lanes[i - 1] == lane_bytes;
    copy.address_kind = regular ? AddressKind::stride : AddressKind::list;
    copy.address = regular ? lanes.front() : cta.addresses.size();
    copy.stride = regular && count > 1 ? static_cast<std::int32_t>(lane_bytes) : 0;
    if (!regular) cta.addresses.insert(cta.addresses.end(), lanes.begin(), lanes.end());
    cta.instructions.push_back(copy);
    lanes.clear();
  };
  const unsigned each = place_bytes();
  for (const Address place : places)
    for (unsigned at = 0; at < each; at += lane_bytes) {
      lanes.push_back(place + at);
      if (lanes.size() == 32) flush();
    }
  if (!lanes.empty()) flush();
}

bool BulkOperands::read(Scanner& in) {
  std::uint32_t multicast = 0, mode = 0, count = 0;
  if (!in.hexadecimal(mbarrier, "the address of an mbarrier (hexadecimal)") ||
      !in.decimal(multicast, "0 or 1, whether it is multicast"))
    return false;
  if (multicast > 1) return in.fail_token("0 or 1, whether it is multicast");
  if (multicast == 1 && !in.hexadecimal(ctas, "a mask of thread blocks (hexadecimal)")) return false;
  if (!in.decimal(bytes, "a number of bytes") ||
      !in.decimal(outside, "a number of bytes outside the tensor") ||
      !in.decimal(mode, "an address mode: 3 (list) or 4 (deltas)"))
    return false;
  if (mode != list_mode && mode != delta_mode)
    return in.fail_token("an address mode: 3 (list) or 4 (deltas)");
  Address address = 0;
  if (mode == delta_mode && !in.hexadecimal(address, "a base address (hexadecimal)")) return false;
  if (!in.decimal(count, "a number of addresses")) return false;
  if (count > most_places) return in.fail_token("a number of addresses that fit into the line");
  places.clear();
  for (std::uint32_t i = 0; i < count; ++i) {
    std::int64_t delta = 0;
    if (mode == list_mode) {
      if (!in.hexadecimal(address, "an address (hexadecimal)")) return false;
    } else if (i > 0) {
      if (!in.decimal(delta, "an address delta (signed decimal)")) return false;
      address += static_cast<Address>(delta);
    }
    places.push_back(address);
  }
  return true;
}

namespace {

constexpr int most_tries = 32;  // only files made to be slow have more lines that begin alike

}  // namespace

/// Takes the mask from `text` if everything else is equal.
bool KnownLines::same_but_mask(Line& line, std::string_view text) {
  const std::size_t mask_at = line.mask_at, behind = mask_at + mask_digits;
  if (std::memcmp(text.data(), line.text.data(), mask_at) != 0 ||
      std::memcmp(text.data() + behind, line.text.data() + behind, line.length - behind) != 0)
    return false;
  std::uint32_t mask = 0;
  const char* const first = text.data() + mask_at;
  const auto read = std::from_chars(first, first + mask_digits, mask, 16);
  if (read.ec != std::errc{} || read.ptr != first + mask_digits) return false;
  line.instruction.active_mask = mask;
  std::memcpy(line.text.data() + mask_at, first, mask_digits);
  return true;
}

/// Hash of the first word, usually the PC.
std::size_t KnownLines::hash(std::string_view text) {
  std::uint32_t value = 0;
  for (const char c : text.substr(0, text.find(' ', 1))) value = value * 31 + static_cast<unsigned char>(c);
  return (value ^ value >> 10) % 1024;
}

std::uint32_t KnownLines::look_up(std::string_view text) {
  std::uint32_t at = by_hash_[hash(text)];
  for (int tries = 0; at != none && tries < most_tries; ++tries, at = lines_[at].same_hash)
    if (same(lines_[at], text)) return at;
  return none;
}

void KnownLines::add(std::string_view text, const Line& line) {
  if (lines_.size() == most || line.length > longest) return;
  const auto at = static_cast<std::uint32_t>(lines_.size());
  lines_.push_back(line);
  std::memcpy(lines_[at].text.data(), text.data(), line.length);
  std::uint32_t& first = by_hash_[hash(text)];
  lines_[at].same_hash = first;
  first = lines_[last_].follower = at;
  last_ = at;
}

namespace {

constexpr Address shared_window = Address{1} << 24, local_window = Address{1} << 24;

std::size_t hash(std::string_view text) {
  std::uint32_t value = 2166136261u;  // FNV-1a
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 16777619u;
  return (value ^ value >> 13) & 255;
}

/// `with_others`: uniform registers and predicates are accepted, too. They cause no dependence.
bool read_register(Scanner& in, const char* expected, bool with_others, std::uint8_t& out) {
  std::string_view text;
  if (!in.token(text, expected)) return false;
  if (with_others && !text.empty() && text[0] != 'R') {
    if (text[0] == 'U') text.remove_prefix(1);
    if (text.size() < 2 || text.size() > 4 || (text[0] != 'R' && text[0] != 'P') ||
        text.find_first_not_of("0123456789", 1) != std::string_view::npos)
      return in.fail_token(expected);
    return true;
  }
  if (text.size() < 2 || text.size() > 4 || text[0] != 'R') return in.fail_token(expected);
  unsigned value = 0;
  const auto result = std::from_chars(text.data() + 1, text.data() + text.size(), value);
  if (result.ec != std::errc{} || result.ptr != text.data() + text.size() || value > 255)
    return in.fail_token(expected);
  out = static_cast<std::uint8_t>(value);  // R255 is the zero register: no dependence, Strata's no_register
  return true;
}

/// Asynchronous products of matrices: HGMMA and the like.
bool is_group_product(std::string_view opcode) {
  const std::string_view base = opcode.substr(0, opcode.find('.'));
  return base.size() == 5 && base.substr(1) == "GMMA";
}

}  // namespace

bool InstructionParser::read_prefix(Scanner& in, std::string_view line) {
  if (header_.position_prefix) {
    std::uint32_t position = 0;
    for (int i = 0; i < 4; ++i)
      if (!in.decimal(position, "thread block x, y, z and warp (decimal; trace versions below 3)"))
        return false;
    place_ = line.substr(0, in.offset());
  }
  source_line_ = 0;
  return !header_.line_info ||
         in.decimal(source_line_, "a source line number (decimal; line info is enabled)");
}

bool InstructionParser::read_opcode(Scanner& in) {
  std::string_view text;
  if (!in.token(text, "an opcode")) return false;
  Known& known = known_[hash(text)];
  if (known.text != text) {
    Opcode decoded;
    if (!header_.opcodes->decode(text, decoded)) {
      unknown_opcode_ = text;
      return in.fail_token("an opcode");
    }
    if (header_.branches_are_arithmetic && decoded.op == OpClass::other && decoded.unit == Unit::branch)
      decoded.op = OpClass::alu;
    known.text = text;
    known.opcode = decoded;
    known.layout = is_bulk_copy(text)       ? Layout::bulk
                   : is_group_product(text) ? Layout::committed
                                            : Layout::usual;
  }
  opcode_ = &known.opcode;
  opcode_text_ = text;
  layout_ = known.layout;
  if (layout_ == Layout::bulk) {
    bulk_access_ = bulk_access(text);
    loads_data_ =
        bulk_access_ == OpClass::load && text.substr(0, 6) != "UTMAPF" && text.substr(0, 6) != "UBLKPF";
  }
  return true;
}

bool InstructionParser::read_registers(Scanner& in, WarpInstruction& out) {
  unsigned count = 0;
  if (!in.decimal(count, "the number of destination registers, 0 or 1")) return false;
  if (count > 1) return in.fail_token("the number of destination registers, 0 or 1");
  destinations_ = count;
  const bool others = header_.values_at_end;
  if (count == 1 && !read_register(in, "a destination register R0 to R255", others, out.destination))
    return false;
  if (!read_opcode(in)) return false;
  if (opcode_->mark != ReplayMark::none) return true;
  if (!in.decimal(count, "the number of source registers, 0 to 5")) return false;
  if (count > out.sources.size()) return in.fail_token("the number of source registers, 0 to 5");
  sources_ = count;
  for (unsigned i = 0; i < count; ++i)
    if (!read_register(in, "a source register R0 to R255", others, out.sources[i])) return false;
  return true;
}

bool InstructionParser::fits_stride(Address step) {
  const auto value = static_cast<std::int64_t>(step);
  return value == static_cast<std::int32_t>(value);
}

bool InstructionParser::read_stride(Scanner& in, std::size_t lanes, Pattern& out) {
  std::int64_t step = 0;
  if (!in.hexadecimal(out.first, "a base address (hexadecimal)") ||
      !in.decimal(step, "a stride (signed decimal)"))
    return false;
  if (lanes > 1) out.step = static_cast<Address>(step);
  out.regular = fits_stride(out.step);
  for (std::size_t i = 0; !out.regular && i < lanes; ++i) lanes_[i] = out.first + i * out.step;
  return true;
}

bool InstructionParser::read_lanes(Scanner& in, bool deltas, std::size_t lanes, Pattern& out) {
  Address address = 0;
  std::int64_t delta = 0;
  if (deltas && !in.hexadecimal(address, "a base address (hexadecimal)")) return false;
  for (std::size_t i = 0; i < lanes; ++i) {
    if (!deltas) {
      if (!in.hexadecimal(address, "an address (hexadecimal) for each active lane")) return false;
    } else if (i > 0) {
      if (!in.decimal(delta, "an address delta (signed decimal) for each active lane but the first"))
        return false;
      address += static_cast<Address>(delta);
    }
    lanes_[i] = address;
  }
  out.first = lanes_[0];
  if (lanes > 1) out.step = lanes_[1] - lanes_[0];
  out.regular = fits_stride(out.step);
  for (std::size_t i = 2; out.regular && i < lanes; ++i) out.regular = lanes_[i] - lanes_[i - 1] == out.step;
  return true;
}

/// A generic access goes to the memory that holds the first active lane's address (TRACEG_FORMAT 6).
bool InstructionParser::is_shared(Address first) const {
  const bool windows = header_.shared_base != 0 && header_.local_base != 0;
  return !windows || (first >= header_.shared_base && first < header_.local_base);
}
bool InstructionParser::is_local(Address first) const {
  return header_.local_base != 0 && first >= header_.local_base && first < header_.local_base + local_window;
}

/// Regular addresses become a stride; others go to the CTA's pool.
bool InstructionParser::read_memory(Scanner& in, const KnownLines::Line& known, WarpInstruction& out,
                                    CtaTrace& cta) {
  constexpr const char* modes = "an address mode: 0 (list), 1 (stride) or 2 (deltas)";
  int mode = 0;
  if (!in.decimal(mode, modes)) return false;
  if (mode < 0 || mode > 2) return in.fail_token(modes);
  const auto lanes = static_cast<std::size_t>(out.active_lanes());
  Pattern found;
  if (mode == 1 ? !read_stride(in, lanes, found) : !read_lanes(in, mode == 2, lanes, found)) return false;
  if (!known.memory) return true;
  const Address first = lanes > 0 ? found.first : 0;
  if (known.generic && is_local(first))
    out.local = special_ = true;
  else if (known.generic && is_shared(first))
    out.op = out.op == OpClass::store ? OpClass::shared_store : OpClass::shared_load;
  // A tracer writes a line for each of the two addresses of an asynchronous copy. This line has the address
  // in shared memory, to which the data arrive.
  if (known.copy && (first < shared_window || (header_.shared_base != 0 && is_shared(first)))) {
    out.op = OpClass::shared_store;
    out.async = out.bypass_l1 = false;
  }
  if (lanes == 0) return true;
  out.address_kind = found.regular ? AddressKind::stride : AddressKind::list;
  out.address = found.regular ? found.first : cta.addresses.size();
  if (found.regular)
    out.stride = static_cast<std::int32_t>(found.step);
  else
    cta.addresses.insert(cta.addresses.end(), lanes_.begin(),
                         lanes_.begin() + static_cast<std::ptrdiff_t>(lanes));
  return true;
}

/// Tracers since 2023-09 write an immediate at the end, without a new version number. Version 6 has two, and
/// `NoVal` or `Val` with the values of the destinations.
bool InstructionParser::read_end(Scanner& in) {
  immediate_count_ = 0;
  values_follow_ = false;
  for (int left = header_.values_at_end ? 2 : 1; left >= 0; --left) {
    std::uint64_t immediate = 0;
    if (left != 0 && in.few_digits_next(immediate)) {
      immediates_[static_cast<std::size_t>(immediate_count_++)] = immediate;
      continue;
    }
    if (in.at_end()) return true;
    std::string_view text;
    if (!in.token(text, "an immediate")) return false;
    if (header_.values_at_end && (text == "NoVal" || text == "Val")) {
      values_follow_ = text == "Val";
      return true;
    }
    if (left == 0) break;
    std::int64_t negative = 0;
    const char* last = text.data() + text.size();
    const auto whole = [last](const std::from_chars_result& read) {
      return read.ec == std::errc{} && read.ptr == last;
    };
    if (!whole(std::from_chars(text.data(), last, immediate)) &&
        !whole(std::from_chars(text.data(), last, negative)))
      return in.fail_token(header_.values_at_end ? "an immediate (decimal), Val, NoVal or the end of the line"
                                                 : "an immediate (decimal) or the end of the line");
    immediates_[static_cast<std::size_t>(immediate_count_++)] = immediate;
  }
  return in.fail_token(header_.values_at_end ? "Val, NoVal or the end of the line" : "the end of the line");
}

/// Immediates of a synchronizing instruction. Tracers before version 6 write only the last one: the number of
/// threads of a barrier that has one, else the barrier's number.
bool InstructionParser::read_sync(Scanner& in, WarpInstruction& out) const {
  constexpr std::uint64_t barriers = 16, most_groups = 0xffff;
  out.sync = opcode_->sync;
  if (!opcode_->barrier) {
    out.operand =
        static_cast<std::uint16_t>(immediate_count_ == 0 ? 0 : std::min(immediates_[0], most_groups));
    return true;
  }
  const bool both = header_.values_at_end && immediate_count_ == 2;
  const bool only_threads = !both && immediate_count_ != 0 && immediates_[0] >= barriers;
  const std::uint64_t barrier = immediate_count_ == 0 || only_threads ? 0 : immediates_[0];
  const std::uint64_t threads = both ? immediates_[1] : only_threads ? immediates_[0] : 0;
  if (barrier >= barriers) return in.fail("a barrier from 0 to 15");
  const std::uint32_t warps = header_.info.warps_per_cta();
  if (threads > std::uint64_t{32} * warps)
    return in.fail("a barrier of at most as many threads as the block has");
  const auto meet = static_cast<unsigned>((threads + 31) / 32);
  if (only_threads && meet != warps) out.stride = number_lost;
  out.operand = barrier_operand(static_cast<unsigned>(barrier), meet);
  return true;
}

/// Operation of a barrier in shared memory at its address; ThreadBlockFinish finds which warps wait for
/// which.
void InstructionParser::begin_mbarrier(WarpInstruction& out) {
  const bool reads = opcode_->at_address == Sync::mbarrier_wait;
  out.op = reads ? OpClass::shared_load : OpClass::shared_store;
  out.async = false;
  out.sync = opcode_->at_address;
  out.operand = opcode_->operand;
}

/// Values of registers, where the tracer has written them (`Val`, then for each register, destinations first,
/// `1 value` or `32 values`). The second source, behind the address, is the count of a new barrier, the
/// number of arrivals, or the parity of a wait. nvcc encodes the first as 2^21 - 2 * count, and the last in
/// bit 31.
void InstructionParser::end_mbarrier(Scanner& in, WarpInstruction& out) const {
  if (!values_follow_) return;
  std::uint64_t value = 0, last = 0;
  const unsigned wanted = destinations_ + std::min(sources_, 2U);
  for (unsigned seen = 0; seen < wanted; ++seen) {
    unsigned count = 0;
    if (!in.decimal(count, "1 or 32") || (count != 1 && count != 32)) return;
    for (unsigned i = 0; i < count; ++i) {
      if (!in.hexadecimal(value, "a value")) return;
      if (i == 0) last = value;
    }
  }
  if (sources_ < 2) return;
  constexpr std::uint64_t most = 0xffff, whole = 1U << 20;
  if (out.sync == Sync::mbarrier_init)
    out.operand = static_cast<std::uint16_t>((whole - (last >> 1 & (whole - 1))) & most);
  else if (out.sync == Sync::mbarrier_wait)
    out.operand = known_parity + ((last >> 31 & 1) | (last == 1 ? 1 : 0));
  else if (opcode_->counts && last != 0)
    out.operand = static_cast<std::uint16_t>(std::min(last & 0xffffffff, most));
}

/// Lines with a layout of their own: Accel-Sim 2.0 writes extra operands for bulk copies, and whether
/// asynchronous products end a group. False if the line is not of this kind.
bool InstructionParser::read_own_layout(Scanner in, const WarpInstruction& out, CtaTrace& cta) {
  unsigned number = 0;
  if (layout_ == Layout::bulk) {
    if (!in.decimal(number, "a memory width") || !bulk_.read(in)) return false;
  } else {
    if (!in.decimal(number, "0 or 1") || number > 1 || !in.decimal(number, "a memory width") || number != 0)
      return false;
  }
  if (!read_end(in)) return false;
  const OpClass access = layout_ == Layout::bulk ? bulk_access_ : OpClass::other;
  if (access != OpClass::other && out.active_mask != 0 && !bulk_.places.empty())
    add_bulk_copy(out, access, cta);
  else
    cta.instructions.push_back(out);
  return true;
}

/// Adds the data of the copy, then its report to an mbarrier or the end of its group.
void InstructionParser::add_bulk_copy(const WarpInstruction& copy, OpClass access, CtaTrace& cta) {
  if (__builtin_popcount(bulk_.ctas) > 1) ignore(effects::multicasts, 1);
  special_ = true;
  bulk_.add_pieces(copy, access, cta);
  WarpInstruction end = copy;
  end.op = OpClass::other;
  end.async = end.bulk = false;
  end.sync = Sync::bulk_commit;
  if (bulk_.mbarrier != 0) {
    constexpr std::uint64_t unit = 16, most = 0xffff;
    end.op = OpClass::shared_store;
    end.sync = Sync::bulk_arrive;
    end.operand = static_cast<std::uint16_t>(std::min(bulk_.bytes / unit, most));
    end.active_mask = 1;
    end.width = 8;
    end.address_kind = AddressKind::stride;
    end.address = bulk_.mbarrier;
  } else if (access == OpClass::load && loads_data_) {
    end.operand = static_cast<std::uint16_t>(std::min(bulk_.bytes / 16, std::uint64_t{0xffff}));
    end.stride = barrier_lost;
  }
  cta.instructions.push_back(end);
}

bool InstructionParser::read_line(Scanner& in, std::string_view line, CtaTrace& cta) {
  unknown_opcode_.clear();
  KnownLines::Line known;
  WarpInstruction& out = known.instruction;
  if (!read_prefix(in, line)) return false;
  if (!in.hexadecimal(out.pc, "a PC (hexadecimal)")) return false;
  if (!in.hexadecimal(out.active_mask, "an active mask (hexadecimal, 8 digits)")) return false;
  const std::size_t mask_at = in.token_offset(), mask_end = in.offset();
  if (!read_registers(in, out)) return false;
  last_mark_ = opcode_->mark;
  if (last_mark_ != ReplayMark::none) return true;
  out.op = opcode_->op;
  if (is_counted(opcode_->unit)) out.units[counted_place(opcode_->unit)] = 1;
  out.width = opcode_->width;
  out.non_coherent = opcode_->non_coherent;
  out.bypass_l1 = opcode_->bypass_l1;
  out.local = opcode_->local;
  special_ = special_ || out.local || opcode_->barrier || opcode_->mbarrier ||
             opcode_->sync == Sync::cluster_arrive || opcode_->sync == Sync::cluster_wait;
  out.async = opcode_->copy || opcode_->unknown_wait || opcode_->mbarrier;
  out.bulk = opcode_->unknown_copy;
  if (out.destination != no_register) out.destination_count = opcode_->destination_count;
  if (header_.values_at_end && layout_ != Layout::usual && read_own_layout(in, out, cta)) return true;
  unsigned width = 0;
  if (!in.decimal(width, "a memory width (decimal)")) return false;
  const bool at_barrier = opcode_->mbarrier && width != 0 && out.active_mask != 0;
  if (at_barrier) begin_mbarrier(out);
  known.memory = touches_global_memory(out.op) || touches_shared_memory(out.op);
  known.generic = opcode_->generic;
  known.copy = opcode_->copy;
  known.accesses = width != 0;
  // An access without active lanes may lack its operand; one with active lanes must have addresses.
  if (width == 0 && known.memory && out.active_mask != 0)
    return in.fail_token("a memory width above 0, as the opcode accesses memory");
  const std::size_t end = known.accesses ? in.offset() : line.size();
  WarpInstruction whole = out;
  if (known.accesses && !read_memory(in, known, whole, cta)) return false;
  if (!read_end(in)) return false;
  if (at_barrier) end_mbarrier(in, whole);
  if (opcode_->sync != Sync::none) {
    if (!read_sync(in, out)) return false;
    whole = out;
  }
  cta.instructions.push_back(whole);
  if (header_.lines != nullptr && touches_global_memory(out.op))
    header_.lines->places.emplace(
        out.pc, CodeLines::Place{std::string(opcode_text_), 0, 0, static_cast<std::uint32_t>(source_line_)});
  if (!opcode_->ignored.empty()) {
    known.ignored = &ignored_[opcode_->ignored];
    ++*known.ignored;
  }
  const bool usual =
      !at_barrier && mask_end - mask_at == KnownLines::mask_digits && (known.accesses || !known.memory);
  if (usual && end - place_.size() <= KnownLines::longest) {
    known.length = static_cast<std::uint8_t>(end - place_.size());
    known.mask_at = static_cast<std::uint8_t>(mask_at - place_.size());
    known_lines_.add(line.substr(place_.size()), known);
  }
  return true;
}

/// Reads a line whose only news are mask and addresses. False if it must be parsed.
bool InstructionParser::read_known(KnownLines::Line& known, std::string_view line, CtaTrace& cta) {
  if (known.accesses) {
    Scanner in(line, place_.size() + known.length);
    const std::string_view rest = in.rest();
    if (known.is_as_last(rest)) {
      if (known.ignored != nullptr) ++*known.ignored;
      cta.instructions.push_back(known.last);
      return true;
    }
    WarpInstruction out = known.instruction;
    const std::size_t listed = cta.addresses.size();
    if (!read_memory(in, known, out, cta)) return false;
    if (!read_end(in)) {
      cta.addresses.resize(listed);
      return false;
    }
    known.note(rest, out);
    cta.instructions.push_back(out);
  } else {
    cta.instructions.push_back(known.instruction);
  }
  if (known.ignored != nullptr) ++*known.ignored;
  return true;
}

void InstructionParser::explain(const Scanner& in, Failure& failure) const {
  failure.column = in.column();
  failure.message = in.message();
  if (unknown_opcode_.empty()) return;
  const std::string base = unknown_opcode_.substr(0, unknown_opcode_.find('.'));
  failure.message = "expected an opcode of binary version " + std::to_string(header_.opcodes->version()) +
                    ", found '" + unknown_opcode_ + "'" + suggestion(base, header_.opcodes->names());
}

}  // namespace strata::traces
