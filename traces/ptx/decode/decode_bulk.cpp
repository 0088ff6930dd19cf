// Bulk copies: cp.async.bulk and cp.reduce.async.bulk of plain bytes and of tensors, and tensor maps that
// kernels change.
#include <algorithm>

#include "models/common/named.h"
#include "traces/ptx/decode/decoder.h"
#include "traces/ptx/lanes/handlers.h"

namespace strata::traces::ptx {
namespace {

constexpr Named<BulkReduction> reductions[] = {
    {BulkReduction::add, "add"},   {BulkReduction::min, "min"},    {BulkReduction::max, "max"},
    {BulkReduction::inc, "inc"},   {BulkReduction::dec, "dec"},    {BulkReduction::bit_and, "and"},
    {BulkReduction::bit_or, "or"}, {BulkReduction::bit_xor, "xor"}};
constexpr Named<MapField> fields[] = {{MapField::address, "global_address"},
                                      {MapField::rank, "rank"},
                                      {MapField::box, "box_dim"},
                                      {MapField::dim, "global_dim"},
                                      {MapField::stride, "global_stride"},
                                      {MapField::step, "element_stride"},
                                      {MapField::element, "elemtype"},
                                      {MapField::interleave, "interleave_layout"},
                                      {MapField::swizzle, "swizzle_mode"},
                                      {MapField::fill, "fill_mode"}};
using Element = TensorMap::Element;
constexpr Named<Element> elements_of_bytes[] = {
    {Element::u32, "u32"}, {Element::s32, "s32"}, {Element::u64, "u64"}, {Element::s64, "s64"},
    {Element::u32, "b32"}, {Element::u64, "b64"}, {Element::f16, "f16"}, {Element::bf16, "bf16"},
    {Element::f32, "f32"}, {Element::f64, "f64"}};

}  // namespace

/// An address as a row of 64 bits, with its offset.
Row Decoder::wide_address(Flow& f, const Operand& o) {
  if (!o.address) fail("expected an address in brackets");
  if (o.kind == Operand::Kind::variable) return frame_address(f, o, 'l');
  if (o.kind == Operand::Kind::integer) return rows_.constant('l', o.bits);
  if (o.kind != Operand::Kind::reg) fail("expected an address");
  std::uint32_t found = id(o);
  char kind = rows_.kind(found);
  if (kind != 'w' && kind != 'l') fail("an address needs 32 or 64 bits");
  const auto step = [&](const char* key, char to, Row b) {
    Flow one = simple(find_handler(key)->handler);
    one.op.a = rows_.row(found);
    one.op.b = b;
    one.reads.push_back(found);
    found = rows_.new_register(to);
    one.op.d = rows_.row(found);
    one.op.weight = 0;
    one.writes.push_back(found);
    push(std::move(one));
  };
  if (o.bits != 0) step(kind == 'w' ? "add.u32" : "add.u64", kind, rows_.constant(kind, o.bits));
  if (kind == 'w') step("cvt.u32.lw", 'l', no_row);
  f.reads.push_back(found);
  return rows_.row(found);
}

/// cp.async.bulk: a load of all bytes and a store of them; then the barrier hears of it, or a group ends.
void Decoder::copy_bulk() {
  const auto& s = instruction_->suffix;
  const bool waits = instruction_->has("wait_group");
  if (waits || instruction_->has("commit_group")) {
    other(true);
    Op& emitted = flow_.back().op;
    emitted.sync = waits ? Sync::bulk_wait : Sync::bulk_commit;
    if (waits) emitted.operand = static_cast<std::uint16_t>(std::min<std::uint64_t>(operand(0).bits, 1024));
    return;
  }
  BulkCode code;
  std::vector<Space> spaces;
  for (const std::string& part : s) {
    if (part == "global") spaces.push_back(Space::global);
    if (part == "shared::cta" || part == "shared::cluster") spaces.push_back(Space::shared);
    if (part.size() == 2 && part[1] == 'd' && part[0] >= '1' && part[0] <= '5')
      code.dimensions = static_cast<std::uint8_t>(part[0] - '0');
    if (const auto* found = find_named(reductions, part)) code.reduction = found->value;
    if (part.compare(0, 6, "tile::") == 0 || part.compare(0, 8, "im2col::") == 0 || part == "cp_mask")
      unsupported(instruction_->spelling());
  }
  const bool tensor = instruction_->has("tensor"), reduces = instruction_->has("reduce"),
             no_offsets = instruction_->has("im2col_no_offs");
  code.prefetch = instruction_->has("prefetch");
  code.im2col = instruction_->has("im2col") || no_offsets;
  code.multicast = instruction_->has("multicast::cluster");
  if (instruction_->opcode != "cp" || spaces.size() != (code.prefetch ? 1 : 2) ||
      (code.dimensions != 0) != tensor || reduces != (code.reduction != BulkReduction::none))
    unsupported(instruction_->spelling());
  const bool counted = instruction_->has("mbarrier::complete_tx::bytes"),
             loads = spaces.back() == Space::global;
  if (reduces && !tensor) {
    const auto* found = find_named(elements_of_bytes, s.back());
    if (found == nullptr) unsupported(instruction_->spelling());
    code.element = found->value;
  }
  std::vector<Row> rows(bulk_rows, no_row);
  Flow f;
  std::size_t next = 0;
  const auto map = [&] {
    const Operand& o = operand(next++);
    if (o.elements.size() != code.dimensions)
      fail("expected " + std::to_string(code.dimensions) + " coordinates behind the tensor map, found " +
           std::to_string(o.elements.size()));
    rows[bulk_map] = wide_address(f, o);
    for (std::size_t n = 0; n < o.elements.size(); ++n)
      rows[bulk_coordinates + n] = source(f, o.elements[n], 'w');
  };
  if (!code.prefetch && tensor && !loads) map();
  if (!code.prefetch && !(tensor && !loads)) rows[bulk_to] = wide_address(f, operand(next++));
  if (tensor && loads)
    map();
  else
    rows[bulk_from] = wide_address(f, operand(next++));
  if (!tensor) rows[bulk_size] = source(f, operand(next++), 'w');
  if (counted) rows[bulk_barrier] = wide_address(f, operand(next++));
  if (code.im2col && !no_offsets && loads) {
    const Operand& offsets = operand(next++);
    if (offsets.kind != Operand::Kind::vector || offsets.elements.size() + 2 != code.dimensions)
      fail("expected " + std::to_string(code.dimensions - 2) + " offsets of im2col");
    for (std::size_t n = 0; n < offsets.elements.size(); ++n)
      rows[bulk_offsets + n] = source(f, offsets.elements[n], 'h');
  }
  if (code.multicast) rows[bulk_ctas] = source(f, operand(next++), 'h');
  bulk_pieces(code, spaces, std::move(rows), f.reads);
}

void Decoder::bulk_pieces(const BulkCode& code, const std::vector<Space>& spaces, std::vector<Row> rows,
                          const std::vector<std::uint32_t>& reads) {
  const bool counted = rows[bulk_barrier] != no_row;
  const Row to = rows[bulk_to], from = rows[bulk_from], barrier = rows[bulk_barrier];
  const Row* const shared_rows = list(std::move(rows));
  const auto piece = [&](const char* key, Space space, OpClass op_class, Row at, bool stores) {
    Flow f = simple(find_handler(key)->handler);
    f.op.space = space;
    f.op.op_class = op_class;
    f.op.width = 16;
    f.op.offset = code.packed();
    f.op.a = at;
    f.op.rows = shared_rows;
    f.op.async = f.op.bulk = !code.once;
    f.memory = stores ? Flow::Memory::store : Flow::Memory::load;
    f.barrier = true;
    f.reads = reads;
    return f;
  };
  // The engine reads and writes the SM's own shared memory itself, which takes no instruction of the warp.
  const auto leave_to_engine = [&](Flow& f) {
    if (code.once || code.multicast) return;
    f.op.flags |= no_record;
    f.op.weight = 0;
  };
  const bool loads = spaces.back() == Space::global;
  Flow load = piece("cp.bulk.load", spaces.back(), loads ? OpClass::load : OpClass::shared_load, from, false);
  const bool shared = spaces[0] == Space::shared;
  if (loads)
    load.op.flags |= bypass;
  else if (!shared)
    leave_to_engine(load);
  push(std::move(load));
  if (code.prefetch) return;
  Flow store = piece("cp.bulk.store", spaces[0],
                     shared                                  ? OpClass::shared_store
                     : code.reduction != BulkReduction::none ? OpClass::atomic
                                                             : OpClass::store,
                     to, true);
  if (!shared) store.op.flags |= bypass;
  if (shared && loads) leave_to_engine(store);
  push(std::move(store));
  if (!counted) return;
  Flow complete = piece("cp.bulk.complete", Space::shared, OpClass::shared_store, barrier, true);
  complete.op.sync = Sync::bulk_arrive;
  complete.op.async = complete.op.bulk = false;
  push(std::move(complete));
}

/// The barrier at an operand hears of so many bytes: st.async, red.async.
void Decoder::completes(std::size_t barrier, std::uint64_t bytes) {
  Flow f = simple(find_handler("mbarrier.arrive")->handler);
  f.op.code = 8;
  barrier_memory(f, barrier, true);
  f.op.space = Space::shared;
  f.op.op_class = OpClass::shared_store;
  f.op.sync = Sync::bulk_arrive;
  f.op.c = rows_.constant('w', bytes);
  push(std::move(f));
}

/// tensormap.replace, of one field, and tensormap.cp_fenceproxy, which copies a map for all lanes together.
void Decoder::tensor_map() {
  if (instruction_->has("cp_fenceproxy")) {
    Flow f;
    BulkCode code;
    code.once = true;
    std::vector<Row> rows(bulk_rows, no_row);
    rows[bulk_to] = wide_address(f, operand(0));
    rows[bulk_from] = wide_address(f, operand(1));
    rows[bulk_size] = source(f, operand(2), 'w');
    return bulk_pieces(code, {Space::global, Space::shared}, std::move(rows), f.reads);
  }
  const Named<MapField>* field = nullptr;
  Space space = Space::generic;
  for (const std::string& part : instruction_->suffix) {
    if (const auto* found = find_named(fields, part)) field = found;
    if (part == "global") space = Space::global;
    if (part == "shared::cta") space = Space::shared;
  }
  if (!instruction_->has("replace") || !instruction_->has("tile") || field == nullptr)
    unsupported(instruction_->spelling());
  Flow f = simple(find_handler("tensormap.replace")->handler);
  f.op.space = space;
  f.op.op_class = space == Space::shared ? OpClass::shared_store : OpClass::store;
  f.op.width = 16;
  f.op.flags |= no_record;
  f.memory = Flow::Memory::store;
  f.barrier = true;
  std::vector<Row> rows(bulk_rows, no_row);
  rows[bulk_map] = wide_address(f, operand(0));
  f.op.rows = list(std::move(rows));
  std::size_t next = 1;
  std::uint64_t dimension = 0;
  if (field->value == MapField::box || field->value == MapField::dim || field->value == MapField::stride ||
      field->value == MapField::step) {
    const Operand& n = operand(next++);
    const std::uint64_t most = TensorMap::most_dimensions - (field->value == MapField::stride ? 1 : 0);
    if (n.kind != Operand::Kind::integer || n.bits >= most)
      fail("expected the number of a dimension below " + std::to_string(most));
    dimension = n.bits;
  }
  f.op.offset = static_cast<std::int64_t>(field->value) | static_cast<std::int64_t>(dimension << 8);
  const Operand& value = operand(next);
  if (kind_of(value) == 'w') {
    Flow wide = simple(find_handler("cvt.u32.lw")->handler);
    const std::uint32_t r = rows_.new_register('l');
    wide.op.a = source(wide, value, 'w');
    wide.op.d = rows_.row(r);
    wide.op.weight = 0;
    wide.writes.push_back(r);
    push(std::move(wide));
    f.op.b = rows_.row(r);
    f.reads.push_back(r);
  } else {
    f.op.b = source(f, value, 'l');
  }
  push(std::move(f));
}

}  // namespace strata::traces::ptx
