// Asynchronous copies and barriers in shared memory: cp.async, mbarrier, cp.async.bulk and
// cp.reduce.async.bulk of plain bytes and tensors, lane after lane. All bytes arrive at once; the records say
// which instruction waits for them.
#include <algorithm>
#include <cstring>
#include <iterator>

#include "traces/ptx/execute/lane_access.h"
#include "traces/ptx/execute/machine.h"
#include "traces/ptx/execute/path_library.h"
#include "traces/ptx/lanes/bulk_code.h"
#include "traces/ptx/lanes/half_format.h"
#include "traces/ptx/lanes/handler_rows.h"
#include "traces/ptx/lanes/lane_rows.h"

namespace strata::traces::ptx {
namespace {

/// A barrier in shared memory: pending arrivals, arrivals of a phase, missing bytes, phase.
struct Barrier {
  static constexpr u64 count_mask = (1U << 20) - 1, bytes_mask = (1U << 22) - 1;
  u64 bits;
  u64 pending() const { return bits & count_mask; }
  u64 expected() const { return bits >> 20 & count_mask; }
  u64 bytes() const { return bits >> 40 & bytes_mask; }
  u64 phase() const { return bits >> 63; }
  void set(u64 pending, u64 expected, u64 bytes, u64 phase) {
    if ((pending & count_mask) == 0 && (bytes & bytes_mask) == 0) {
      pending = expected;
      phase ^= 1;
    }
    bits = (pending & count_mask) | (expected & count_mask) << 20 | (bytes & bytes_mask) << 40 | phase << 63;
  }
};

/// First half of cp.async: loads up to op->width bytes of each lane into registers. Row c: number of bytes
/// (the rest is 0); predicate d2: no bytes.
const Op* copy_load(Warp& w, const Op* op) {
  u64 address[32];
  lane_addresses(w, op, address);
  u32 bytes[32];
  u32 lanes = 0, partly = 0;
  for (u32 left = w.mask; left != 0; left &= left - 1) {
    const auto i = static_cast<u32>(__builtin_ctz(left));
    const bool ignored = op->d2 != no_row && (*row_of<u32>(w, op->d2) >> i & 1) != 0;
    bytes[i] = ignored ? 0 : op->c == no_row ? op->width : std::min<u32>(row_of<u32>(w, op->c)[i], op->width);
    lanes |= static_cast<u32>(bytes[i] != 0) << i;
    partly |= static_cast<u32>(bytes[i] != op->width) << i;
    for (u32 n = 0; n < op->count; ++n)
      if (bytes[i] != op->width) row_of<u32>(w, op->rows[n])[i] = 0;
  }
  if (lanes == 0) return op + 1;
  const auto visit = [&](u32 lane, const u8* memory) {
    for (u32 n = 0; n < op->count && n * 4 < bytes[lane]; ++n)
      std::memcpy(&row_of<u32>(w, op->rows[n])[lane], memory + 4 * n, std::min<u32>(4, bytes[lane] - 4 * n));
  };
  if ((lanes & ~partly) != 0) access_lanes(w, op, address, lanes & ~partly, op->width, false, visit);
  for (u32 left = lanes & partly; left != 0; left &= left - 1) {  // each up to its own end
    const int i = __builtin_ctz(left);
    u32 size = 4;
    while (size * 2 <= bytes[i]) size *= 2;
    access_lanes(w, op, address, 1U << i, bytes[i] == size ? size : 1, false, visit);
  }
  return op + 1;
}

// --- mbarrier ---
/// Calls update(lane, barrier) lane after lane.
template <class Update>
void at_barriers(Warp& w, const Op* op, const u64* address, bool store, Update update) {
  visit_lanes(w, op, address, w.mask, 8, store, [&](u32 lane, u8* memory) {
    Barrier b;
    std::memcpy(&b.bits, memory, 8);
    update(lane, b);
    if (store) std::memcpy(memory, &b.bits, 8);
  });
}
u64 of_lane(const Warp& w, Row from, u32 lane, u64 without) {
  return from == no_row ? without : row_of<u32>(w, from)[lane];
}
u32 first_lane(const Warp& w) {
  return static_cast<u32>(__builtin_ctz(w.mask));
}
constexpr u64 unit_bytes = 16;  ///< unit of operands that count bytes
constexpr u64 no_arrival = 1U << 15;

const Op* barrier_init(Warp& w, const Op* op) {
  u64 address[32];
  lane_addresses(w, op, address);
  record_sync(w, op, address, w.mask, 8, of_lane(w, op->b, first_lane(w), 1));
  at_barriers(w, op, address, true, [&](u32 lane, Barrier& b) {
    const u64 count = of_lane(w, op->b, lane, 1);
    if (count == 0 || count > Barrier::count_mask)
      fault(w, op, static_cast<int>(lane), "expected 1 to 1048575 arrivals, found", count, true);
    b.bits = count | count << 20;
  });
  return op + 1;
}
/// Records an arrival at each barrier; bytes are added over all lanes. If operands differ otherwise, the
/// first lane's counts.
void record_arrivals(Warp& w, const Op* op, const u64* address) {
  const u32 first = first_lane(w);
  if ((op->code & 8) == 0) {
    const u64 bytes = (of_lane(w, op->c, first, 0) + unit_bytes - 1) / unit_bytes;
    const u64 operand =
        (op->code & 4) == 0 ? of_lane(w, op->b, first, 1) : bytes | ((op->code & 1) == 0 ? no_arrival : 0);
    return record_sync(w, op, address, w.mask, 8, operand);
  }
  for (u32 left = w.mask; left != 0;) {
    const int lane = __builtin_ctz(left);
    u64 bytes = 0;
    for (u32 rest = left; rest != 0; rest &= rest - 1) {
      const auto other = static_cast<u32>(__builtin_ctz(rest));
      if (address[other] != address[lane]) continue;
      bytes += of_lane(w, op->c, other, 0);
      left &= ~(1U << other);
    }
    record_sync(w, op, address, 1U << lane, 8, (bytes + unit_bytes - 1) / unit_bytes);
  }
}
/// Bits of the code: 1 arrives, 2 drops out of later phases, 4 expects bytes (row c), 8 bytes have arrived
/// (row c).
const Op* barrier_arrive(Warp& w, const Op* op) {
  u64 address[32], before[32] = {};
  lane_addresses(w, op, address);
  record_arrivals(w, op, address);
  at_barriers(w, op, address, true, [&](u32 lane, Barrier& b) {
    before[lane] = b.bits;
    const u64 count = (op->code & 1) != 0 ? of_lane(w, op->b, lane, 1) : 0;
    if (count > b.pending())
      fault(w, op, static_cast<int>(lane),
            "more arrivals than the barrier was made for, pending:", b.pending(), true);
    const u64 bytes = of_lane(w, op->c, lane, 0);
    u64 left = b.bytes();
    if ((op->code & 4) != 0) left += bytes;
    if ((op->code & 8) != 0) left -= bytes;
    b.set(b.pending() - count, b.expected() - ((op->code & 2) != 0 ? count : 0), left, b.phase());
  });
  if (op->d != no_row) put(w, op->d, before);
  return op + 1;
}
/// cp.async.mbarrier.arrive without .noinc.
const Op* barrier_copies(Warp& w, const Op* op) {
  u64 address[32];
  lane_addresses(w, op, address);
  at_barriers(w, op, address, false, [](u32, const Barrier&) {});
  record_sync(w, op, address, w.mask, 8, 0);
  return op + 1;
}
/// Row b: the state that an arrival returned, or (code 1) the parity of a phase. A warp that has to wait
/// yields. Only the test that finds the phase ended is recorded.
const Op* barrier_test(Warp& w, const Op* op) {
  u64 address[32];
  lane_addresses(w, op, address);
  const auto phase_of = [&](u32 lane) {
    return op->code != 0 ? row_of<u32>(w, op->b)[lane] & 1 : row_of<u64>(w, op->b)[lane] >> 63;
  };
  u32 done = 0;
  at_barriers(w, op, address, false, [&](u32 lane, const Barrier& b) {
    const u64 phase = phase_of(lane);
    done |= static_cast<u32>(b.phase() != phase) << lane;
  });
  if (done != 0) record_sync(w, op, address, done, 8, phase_of(static_cast<u32>(__builtin_ctz(done))));
  put_predicate(w, op->d, done);
  if ((done & w.mask) == w.mask) return op + 1;
  w.next = op + 1;
  return nullptr;
}
u32 pending_arrivals(u64 state) {
  return static_cast<u32>(Barrier{state}.pending());
}
constexpr u32 piece = 16;  ///< bytes of a lane in a record
constexpr u64 most_bulk = 1U << 18;
using Element = TensorMap::Element;

// --- reductions ---

template <class T>
T combined(T old, T with, BulkReduction how) {
  switch (how) {
    case BulkReduction::add:
      return static_cast<T>(old + with);
    case BulkReduction::min:
      return std::min(old, with);
    case BulkReduction::max:
      return std::max(old, with);
    default:
      return with;
  }
}
template <class T>
T combined_bits(T old, T with, BulkReduction how) {
  switch (how) {
    case BulkReduction::inc:
      return old >= with ? 0 : old + 1;
    case BulkReduction::dec:
      return old == 0 || old > with ? with : old - 1;
    case BulkReduction::bit_and:
      return old & with;
    case BulkReduction::bit_or:
      return old | with;
    case BulkReduction::bit_xor:
      return old ^ with;
    default:
      return combined(old, with, how);
  }
}
template <class T, class Change>
void update(u8* memory, const u8* with, Change change) {
  T old, value;
  std::memcpy(&old, memory, sizeof old);
  std::memcpy(&value, with, sizeof value);
  old = change(old, value);
  std::memcpy(memory, &old, sizeof old);
}
template <class Format>
u16 combined_half(u16 old, u16 with, BulkReduction how) {
  return Format::narrow(combined(Format::widen(old), Format::widen(with), how));
}
void reduce(u8* memory, const u8* with, Element element, BulkReduction how) {
  switch (element) {
    case Element::u8:
      return update<u8>(memory, with, [=](u8 a, u8 b) { return combined(a, b, how); });
    case Element::u16:
      return update<u16>(memory, with, [=](u16 a, u16 b) { return combined(a, b, how); });
    case Element::u32:
      return update<u32>(memory, with, [=](u32 a, u32 b) { return combined_bits(a, b, how); });
    case Element::s32:
      if (how == BulkReduction::min || how == BulkReduction::max)
        return update<s32>(memory, with, [=](s32 a, s32 b) { return combined(a, b, how); });
      return update<u32>(memory, with, [=](u32 a, u32 b) { return combined_bits(a, b, how); });
    case Element::u64:
      return update<u64>(memory, with, [=](u64 a, u64 b) { return combined_bits(a, b, how); });
    case Element::s64:
      if (how == BulkReduction::min || how == BulkReduction::max)
        return update<s64>(memory, with, [=](s64 a, s64 b) { return combined(a, b, how); });
      return update<u64>(memory, with, [=](u64 a, u64 b) { return combined_bits(a, b, how); });
    case Element::f16:
      return update<u16>(memory, with, [=](u16 a, u16 b) { return combined_half<Half>(a, b, how); });
    case Element::bf16:
      return update<u16>(memory, with, [=](u16 a, u16 b) { return combined_half<Brain>(a, b, how); });
    case Element::f64:
      return update<double>(memory, with, [=](double a, double b) { return combined(a, b, how); });
    default:
      return update<float>(memory, with, [=](float a, float b) { return combined(a, b, how); });
  }
}

// --- the copy of one lane ---

struct Copy {
  BulkCode code;
  TensorMap map;
  s64 at[TensorMap::most_dimensions] = {};  ///< coordinates
  u32 offsets[3] = {};                      ///< of im2col
  u64 bytes = 0;
  Element element = Element::u8;
};

template <class T>
T of_lane(const Warp& w, const Op* op, BulkRow which, int lane) {
  return row_of<T>(w, op->rows[which])[lane];
}

TensorMap read_map(Warp& w, const Op* op, int lane, Space space = Space::generic) {
  Op generic = *op;
  generic.space = space;
  generic.op_class = OpClass::load;
  const u64 at = of_lane<u64>(w, op, bulk_map, lane);
  if (at % 64 != 0) fault(w, op, lane, "expected a tensor map at a multiple of 64, found", at, true);
  u8 all[TensorMap::bytes];
  for (u32 done = 0; done < TensorMap::bytes; done += piece) {
    u64 address[32] = {};
    address[lane] = at + done;
    visit_lanes(w, &generic, address, 1U << lane, piece, false,
                [&](u32, const u8* memory) { std::memcpy(all + done, memory, piece); });
  }
  TensorMap map;
  std::memcpy(static_cast<void*>(&map), all, sizeof map);
  if (!map.valid()) fault(w, op, lane, "no tensor map that cuTensorMapEncode* has made lies at", at, true);
  return map;
}

Copy copy_of(Warp& w, const Op* op, int lane) {
  Copy copy;
  copy.code = BulkCode::of(op->offset);
  copy.element = copy.code.element;
  if (copy.code.dimensions == 0) {
    copy.bytes = of_lane<u32>(w, op, bulk_size, lane);
    if (copy.bytes % piece != 0)
      fault(w, op, lane, "expected a multiple of 16 bytes at a multiple of 16, found", copy.bytes, true);
    if (copy.bytes > most_bulk) fault(w, op, lane, "more bytes than shared memory has:", copy.bytes, true);
    return copy;
  }
  copy.map = read_map(w, op, lane);
  if (copy.map.rank != copy.code.dimensions)
    fault(w, op, lane, "the tensor map has other dimensions than the instruction:", copy.map.rank, true);
  if ((copy.map.im2col != 0) != copy.code.im2col)
    fault(w, op, lane,
          copy.code.im2col ? "im2col needs a tensor map that cuTensorMapEncodeIm2col has made"
                           : "a tensor map that cuTensorMapEncodeIm2col has made needs .im2col");
  copy.element = copy.map.element;
  copy.bytes = copy.map.box_bytes();
  if (copy.bytes > most_bulk) fault(w, op, lane, "more bytes than shared memory has:", copy.bytes, true);
  for (u32 n = 0; n < copy.map.rank; ++n)
    copy.at[n] = static_cast<s32>(of_lane<u32>(w, op, static_cast<BulkRow>(bulk_coordinates + n), lane));
  for (u32 n = 0; n < 3; ++n)
    if (const Row row = op->rows[bulk_offsets + n]; row != no_row)
      copy.offsets[n] = row_of<u16>(w, row)[lane];
  return copy;
}

/// Calls visit(address, bytes, place) for the bytes of each row of the box that are in the tensor; `place` is
/// their offset in the box.
template <class Visit>
void for_each_row(const Copy& copy, Visit visit) {
  const TensorMap& map = copy.map;
  const u32 size = map.element_bytes(), moved = map.moved(0);
  const s64 step = map.interleave == 0 ? 1 : map.steps[0];
  s64 pixel[TensorMap::most_dimensions], index[TensorMap::most_dimensions] = {};
  std::copy_n(copy.at, TensorMap::most_dimensions, pixel);
  const u64 rows = map.rows();
  for (u64 row = 0; row < rows; ++row) {
    u64 base = map.address;
    bool inside = true;
    for (u32 n = 1; n < map.rank; ++n) {
      s64 at = pixel[n];
      if (map.im2col != 0 && n + 1 < map.rank) at += copy.offsets[n - 1];
      inside = inside && at >= 0 && static_cast<u64>(at) < map.dims[n];
      base += static_cast<u64>(at) * map.strides[n - 1];
    }
    if (inside && step == 1) {
      const s64 first = std::max<s64>(copy.at[0], 0),
                last = std::min<s64>(copy.at[0] + moved, static_cast<s64>(map.dims[0]));
      if (first < last)
        visit(base + static_cast<u64>(first) * size, static_cast<u64>(last - first) * size,
              row * moved * size + static_cast<u64>(first - copy.at[0]) * size);
    } else if (inside) {
      for (u32 e = 0; e < moved; ++e) {
        const s64 at = copy.at[0] + e * step;
        if (at >= 0 && static_cast<u64>(at) < map.dims[0])
          visit(base + static_cast<u64>(at) * size, u64{size}, (row * moved + e) * size);
      }
    }
    if (map.im2col != 0) {  // the next pixel of the box, then the next image
      for (u32 n = 1; n < map.rank; ++n) {
        pixel[n] += n + 1 < map.rank ? map.steps[n] : 1;
        if (n + 1 == map.rank || pixel[n] < static_cast<s64>(map.dims[n]) + map.upper[n - 1]) break;
        pixel[n] = map.lower[n - 1];
      }
    } else {
      for (u32 n = 1; n < map.rank; ++n) {
        pixel[n] += map.steps[n];
        if (++index[n] < map.moved(n)) break;
        index[n] = 0;
        pixel[n] = copy.at[n];
      }
    }
  }
}

/// Offset after the swizzle: bits of the offset in 128 B (or 64, or 32) are combined with bits of the row
/// (CUDA C++ Programming Guide, "Swizzle Modes").
u64 swizzled(u64 at, TensorMap::Swizzle how) {
  using Swizzle = TensorMap::Swizzle;
  switch (how) {
    case Swizzle::span_32:
      return at ^ (at >> 3 & 0x10);
    case Swizzle::span_64:
      return at ^ (at >> 3 & 0x30);
    case Swizzle::span_128:
      return at ^ (at >> 3 & 0x70);
    case Swizzle::span_128_atom_32:
      return at ^ (at >> 2 & 0x60);
    case Swizzle::span_128_atom_64:
      return at ^ (at >> 1 & 0x40);
    default:
      return at;
  }
}

// --- memory in pieces of 16 bytes, 32 to a record ---

class Pieces {
 public:
  Pieces(Warp& w, const Op* op, u8* buffer, bool store) : w_(w), op_(op), buffer_(buffer), store_(store) {}
  Pieces(const Pieces&) = delete;
  Pieces& operator=(const Pieces&) = delete;

  /// How a reduction combines elements with memory.
  void reduces(Element element, u32 element_bytes, BulkReduction how) {
    element_ = element;
    step_ = element_bytes;
    how_ = how;
  }
  void only_records() { moves_ = false; }

  /// Copies bytes between `address` and `place` of the buffer.
  void add(u64 address, u64 bytes, u64 place) {
    while (bytes > 0) {
      const u64 size = std::min<u64>(bytes, piece - address % piece);
      if (count_ == 32) flush();
      address_[count_] = address;
      bytes_[count_] = static_cast<u32>(size);
      place_[count_++] = place;
      address += size;
      bytes -= size;
      place += size;
    }
  }
  void flush() {
    if (count_ == 0) return;
    const u32 all = count_ == 32 ? all_lanes : (1U << count_) - 1;
    u64 pieces[32] = {};
    u32 whole = 0;
    for (u32 n = 0; n < count_; ++n) {
      pieces[n] = address_[n] - address_[n] % piece;
      whole |= static_cast<u32>(bytes_[n] == piece) << n;
    }
    record_access(w_, op_, pieces, all, op_->space, piece);
    if (moves_) {
      if (whole != 0)
        visit_lanes(w_, op_, pieces, whole, piece, store_,
                    [&](u32 n, u8* memory) { move(n, 0, piece, memory); });
      for (u32 left = all & ~whole; left != 0; left &= left - 1) part(static_cast<u32>(__builtin_ctz(left)));
    }
    count_ = 0;
  }

 private:
  void part(u32 n) {
    u64 address[32] = {};
    for (u32 done = 0; done < bytes_[n];) {
      const u64 at = address_[n] + done;
      u32 size = piece;
      while (size > bytes_[n] - done || at % size != 0) size /= 2;
      address[n] = at;
      visit_lanes(w_, op_, address, 1U << n, size, store_,
                  [&](u32, u8* memory) { move(n, done, size, memory); });
      done += size;
    }
  }
  void move(u32 n, u32 done, u32 size, u8* memory) {
    u8* const here = buffer_ + place_[n] + done;
    if (!store_ && how_ == BulkReduction::none)
      std::memcpy(here, memory, size);
    else if (how_ == BulkReduction::none)
      std::memcpy(memory, here, size);
    else
      for (u32 at = 0; at < size; at += step_) reduce(memory + at, here + at, element_, how_);
  }

  Warp& w_;
  const Op* op_;
  u8* buffer_;
  bool store_, moves_ = true;
  Element element_ = Element::u8;
  u32 step_ = 1;
  BulkReduction how_ = BulkReduction::none;
  u32 count_ = 0;
  u64 address_[32] = {}, place_[32] = {};
  u32 bytes_[32] = {};
};

void check_place(Warp& w, const Op* op, int lane, u64 address, u64 align) {
  if (address % align != 0)
    fault(w, op, lane,
          align == piece ? "expected a multiple of 16 bytes at a multiple of 16, found"
                         : "expected a place in shared memory at a multiple of 128, found",
          address, true);
}

/// The contiguous side of a copy: both sides of plain copies, shared memory of tensors.
void add_dense(Pieces& pieces, const Copy& copy, u64 base) {
  if (copy.code.dimensions == 0 || copy.map.swizzle == TensorMap::Swizzle::none) {
    pieces.add(base, copy.bytes, 0);
    return;
  }
  // Rows shorter than the swizzle span take the whole span.
  const u64 row = copy.map.row_bytes(), pitch = std::max<u64>(row, copy.map.swizzle_span());
  for (u64 n = 0; n < copy.map.rows(); ++n)
    for (u64 at = 0; at < row; at += piece)
      pieces.add(swizzled(base + n * pitch + at, copy.map.swizzle), std::min<u64>(piece, row - at),
                 n * row + at);
}

void fill(const Copy& copy, u8* bytes) {
  if (copy.map.fill_nan == 0) return;  // already filled with zeros
  const u32 size = copy.map.element_bytes();
  for (u64 at = 0; at + size <= copy.bytes; at += size) {
    std::memset(bytes + at, 0xff, size);
    bytes[at + size - 1] = 0x7f;
  }
}
/// Conversions that some element types make on loads.
void convert(const Copy& copy, u8* bytes) {
  const Element e = copy.element;
  if (copy.code.dimensions == 0 || e < Element::f32_flushed) return;
  for (u64 at = 0; at < copy.bytes; at += 4) {
    u32 value;
    std::memcpy(&value, bytes + at, 4);
    const u32 exponent = value >> 23 & 0xff;
    if (e != Element::tf32 && exponent == 0) value &= 0x80000000;
    if (e != Element::f32_flushed && exponent != 0xff) value = (value + 0x1000) & 0xffffe000;
    std::memcpy(bytes + at, &value, 4);
  }
}

u32 lanes_of(const Warp& w, const Op* op) {
  return BulkCode::of(op->offset).once ? w.mask & (~w.mask + 1) : w.mask;
}

/// First half of a bulk copy: reads memory.
const Op* bulk_read(Warp& w, const Op* op) {
  std::vector<u8>& bytes = w.cta->bulk;
  bytes.clear();
  for (u32 left = lanes_of(w, op); left != 0; left &= left - 1) {
    const int lane = __builtin_ctz(left);
    const Copy copy = copy_of(w, op, lane);
    const std::size_t at = bytes.size();
    if (!copy.code.prefetch) bytes.resize(at + copy.bytes, 0);
    w.cta->bulk_lanes[static_cast<u32>(lane)] = static_cast<u32>(copy.bytes);
    Pieces pieces(w, op, bytes.data() + at, false);
    if (copy.code.prefetch) pieces.only_records();
    if (copy.code.dimensions != 0 && op->space != Space::shared) {
      if (!copy.code.prefetch) fill(copy, bytes.data() + at);
      for_each_row(copy, [&](u64 address, u64 size, u64 place) { pieces.add(address, size, place); });
    } else {
      const u64 base = of_lane<u64>(w, op, bulk_from, lane);
      check_place(w, op, lane, base, copy.code.dimensions != 0 ? 128 : piece);
      add_dense(pieces, copy, base);
    }
    pieces.flush();
    if (!copy.code.prefetch && op->space != Space::shared) convert(copy, bytes.data() + at);
  }
  return op + 1;
}

/// Thread blocks that receive a lane's copy, as offsets of shared memory addresses.
template <class Visit>
void for_each_cta(Warp& w, const Op* op, int lane, Visit visit) {
  if (!BulkCode::of(op->offset).multicast) return visit(u64{0}, ~u64{0});
  const u32 mask = of_lane<u16>(w, op, bulk_ctas, lane);
  if (mask >> w.cta->peers.size() != 0)
    fault(w, op, lane, "multicast to thread blocks that the cluster does not have: mask", mask, true);
  for (u32 left = mask; left != 0; left &= left - 1) {
    const auto rank = static_cast<u32>(__builtin_ctz(left));
    const u64 base = rank == w.cta->rank ? 0 : u64{rank + 1} << cluster_shift;
    visit(base, (u64{1} << cluster_shift) - 1);
  }
}

/// Second half of a bulk copy: writes memory.
const Op* bulk_write(Warp& w, const Op* op) {
  std::size_t at = 0;
  for (u32 left = lanes_of(w, op); left != 0; left &= left - 1) {
    const int lane = __builtin_ctz(left);
    const Copy copy = copy_of(w, op, lane);
    const bool reduces = copy.code.reduction != BulkReduction::none;
    Pieces pieces(w, op, w.cta->bulk.data() + at, !reduces || op->op_class != OpClass::atomic);
    if (reduces) {
      TensorMap sizes;
      sizes.element = copy.element;
      pieces.reduces(copy.element, sizes.element_bytes(), copy.code.reduction);
    }
    if (copy.code.dimensions != 0 && op->space != Space::shared) {
      for_each_row(copy, [&](u64 address, u64 size, u64 place) { pieces.add(address, size, place); });
    } else {
      const u64 base = of_lane<u64>(w, op, bulk_to, lane);
      check_place(w, op, lane, base, copy.code.dimensions != 0 ? 128 : piece);
      for_each_cta(w, op, lane, [&](u64 cta, u64 kept) { add_dense(pieces, copy, cta + (base & kept)); });
    }
    pieces.flush();
    at += copy.bytes;
  }
  return op + 1;
}

/// Reports the bytes to the barrier of each receiving thread block.
const Op* bulk_complete(Warp& w, const Op* op) {
  for (u32 left = w.mask; left != 0; left &= left - 1) {
    const int lane = __builtin_ctz(left);
    const u64 barrier = of_lane<u64>(w, op, bulk_barrier, lane);
    for_each_cta(w, op, lane, [&](u64 cta, u64 kept) {
      u64 address[32] = {};
      address[lane] = cta + (barrier & kept);
      record_sync(w, op, address, 1U << lane, 8, w.cta->bulk_lanes[static_cast<u32>(lane)] / piece);
      visit_lanes(w, op, address, 1U << lane, 8, true, [&](u32, u8* memory) {
        Barrier b;
        std::memcpy(&b.bits, memory, 8);
        b.set(b.pending(), b.expected(), b.bytes() - w.cta->bulk_lanes[static_cast<u32>(lane)], b.phase());
        std::memcpy(memory, &b.bits, 8);
      });
    });
  }
  return op + 1;
}

void change(TensorMap& map, MapField field, u32 n, u64 value) {
  // PTX numbers the types (PTX ISA, "tensormap.replace") differently from the driver.
  constexpr Element elements[] = {Element::u8,          Element::u16, Element::u32,  Element::s32,
                                  Element::u64,         Element::s64, Element::f16,  Element::f32,
                                  Element::f32_flushed, Element::f64, Element::bf16, Element::tf32,
                                  Element::tf32_flushed};
  switch (field) {
    case MapField::address:
      map.address = value;
      break;
    case MapField::rank:  // counts from 0
      map.rank = static_cast<u8>(value + 1);
      break;
    case MapField::box:
      map.box[n] = static_cast<u16>(value);
      break;
    case MapField::dim:
      map.dims[n] = value;
      break;
    case MapField::stride:
      map.strides[n] = value;
      break;
    case MapField::step:
      map.steps[n] = static_cast<u8>(value);
      break;
    case MapField::element:
      map.element = value < std::size(elements) ? elements[value] : Element::count_;
      break;
    case MapField::interleave:
      map.interleave = static_cast<u8>(value);
      break;
    case MapField::swizzle:
      map.swizzle = value < 4 ? static_cast<TensorMap::Swizzle>(value) : TensorMap::Swizzle::count_;
      break;
    case MapField::fill:
      map.fill_nan = static_cast<u8>(value);
      break;
  }
}
/// tensormap.replace: changes one field of the map at a lane's address.
const Op* replace_in_map(Warp& w, const Op* op) {
  for (u32 left = w.mask; left != 0; left &= left - 1) {
    const int lane = __builtin_ctz(left);
    TensorMap map = read_map(w, op, lane, op->space);
    const u64 at = of_lane<u64>(w, op, bulk_map, lane);
    change(map, static_cast<MapField>(op->offset & 0xff), static_cast<u32>(op->offset >> 8),
           row_of<u64>(w, op->b)[lane]);
    u8 all[TensorMap::bytes] = {};
    std::memcpy(all, &map, sizeof map);
    for (u32 done = 0; done < TensorMap::bytes; done += piece) {
      u64 address[32] = {};
      address[lane] = at + done;
      visit_lanes(w, op, address, 1U << lane, piece, true,
                  [&](u32, u8* memory) { std::memcpy(memory, all + done, piece); });
    }
  }
  return op + 1;
}

constexpr HandlerEntry handlers[] = {
    make_row(copy_load, {}, "cp.async.load"),        make_row(barrier_init, {}, "mbarrier.init"),
    make_row(barrier_arrive, {}, "mbarrier.arrive"), make_row(barrier_test, {}, "mbarrier.test"),
    make_row(barrier_copies, {}, "mbarrier.copies"), row<pending_arrivals>("mbarrier.pending_count"),
    make_row(bulk_read, {}, "cp.bulk.load"),         make_row(bulk_write, {}, "cp.bulk.store"),
    make_row(bulk_complete, {}, "cp.bulk.complete"), make_row(replace_in_map, {}, "tensormap.replace")};

}  // namespace

void add_async(HandlerTable& table) {
  add(table, handlers);
}

}  // namespace strata::traces::ptx
