// cp.async.bulk and cp.reduce.async.bulk, of plain bytes and of tensors: what the copy engine moves, lane
// after lane. All bytes are there at once; who waits for them waits in the records.
#include <algorithm>
#include <cstring>
#include <iterator>

#include "traces/ptx/execute/lane_access.h"
#include "traces/ptx/execute/machine.h"
#include "traces/ptx/lanes/bulk_code.h"
#include "traces/ptx/lanes/half_format.h"
#include "traces/ptx/lanes/lane_rows.h"
#include "traces/ptx/lanes/mbarrier.h"

namespace strata::traces::ptx {
namespace {

constexpr u32 piece = 16;  ///< bytes of a lane of a record
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

// --- what one lane copies ---

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

/// Calls visit(address, bytes, place) for the bytes of each row of the box that lie in the tensor; `place` is
/// where they are in the box.
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
    if (map.im2col != 0) {  // the next pixel of the box of pixels, then the next image
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

/// Where a chunk of shared memory is moved to: bits of its place among 128 B (or 64, or 32) are combined with
/// those of its row (CUDA C++ Programming Guide, "Swizzle Modes").
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

  /// Of a reduction: how elements are combined with those in memory.
  void reduces(Element element, u32 element_bytes, BulkReduction how) {
    element_ = element;
    step_ = element_bytes;
    how_ = how;
  }
  void only_records() { moves_ = false; }

  /// Bytes at `address` from or to `place` of the buffer.
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

/// The side of a copy that is one piece of memory: all of plain copies, and shared memory of tensors.
void add_dense(Pieces& pieces, const Copy& copy, u64 base) {
  if (copy.code.dimensions == 0 || copy.map.swizzle == TensorMap::Swizzle::none) {
    pieces.add(base, copy.bytes, 0);
    return;
  }
  // Rows that are shorter than what is swizzled take its whole width.
  const u64 row = copy.map.row_bytes(), pitch = std::max<u64>(row, copy.map.swizzle_span());
  for (u64 n = 0; n < copy.map.rows(); ++n)
    for (u64 at = 0; at < row; at += piece)
      pieces.add(swizzled(base + n * pitch + at, copy.map.swizzle), std::min<u64>(piece, row - at),
                 n * row + at);
}

void fill(const Copy& copy, u8* bytes) {
  if (copy.map.fill_nan == 0) return;  // zeros are there
  const u32 size = copy.map.element_bytes();
  for (u64 at = 0; at + size <= copy.bytes; at += size) {
    std::memset(bytes + at, 0xff, size);
    bytes[at + size - 1] = 0x7f;
  }
}
/// Loads of some types change what they load.
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

/// First half: from memory.
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

/// The thread blocks that a lane's copy goes to, as what is added to addresses of shared memory.
template <class Visit>
void for_each_cta(Warp& w, const Op* op, int lane, Visit visit) {
  if (!BulkCode::of(op->offset).multicast) return visit(u64{0}, ~u64{0});
  const u32 mask = of_lane<u16>(w, op, bulk_ctas, lane);
  if (mask >> w.cta->mates.size() != 0)
    fault(w, op, lane, "multicast to thread blocks that the cluster does not have: mask", mask, true);
  for (u32 left = mask; left != 0; left &= left - 1) {
    const auto rank = static_cast<u32>(__builtin_ctz(left));
    const u64 base = rank == w.cta->rank ? 0 : u64{rank + 1} << cluster_shift;
    visit(base, (u64{1} << cluster_shift) - 1);
  }
}

/// Second half: to memory.
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

/// The barrier of each thread block that has got the bytes hears of them.
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
  // The numbers of types that PTX has (PTX ISA, "tensormap.replace"), which are not those of the driver.
  constexpr Element elements[] = {Element::u8,          Element::u16, Element::u32,  Element::s32,
                                  Element::u64,         Element::s64, Element::f16,  Element::f32,
                                  Element::f32_flushed, Element::f64, Element::bf16, Element::tf32,
                                  Element::tf32_flushed};
  switch (field) {
    case MapField::address:
      map.address = value;
      break;
    case MapField::rank:  // counted from 0
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
/// tensormap.replace: one field of the map at a lane's address.
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

constexpr HandlerEntry rows[] = {
    make_row(bulk_read, {}, "cp.bulk.load"), make_row(bulk_write, {}, "cp.bulk.store"),
    make_row(bulk_complete, {}, "cp.bulk.complete"), make_row(replace_in_map, {}, "tensormap.replace")};

}  // namespace

void add_bulk(HandlerTable& table) {
  add(table, rows);
}

}  // namespace strata::traces::ptx
