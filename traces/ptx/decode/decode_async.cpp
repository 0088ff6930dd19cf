// Asynchronous copies: cp.async and its barriers; cp.async.bulk and cp.reduce.async.bulk of plain bytes and
// tensors; tensor maps that kernels change.
#include <algorithm>
#include <string_view>

#include "models/common/named.h"
#include "traces/ptx/decode/decoder.h"
#include "traces/ptx/execute/operations.h"
#include "traces/ptx/lanes/handlers.h"

namespace strata::traces::ptx {

/// cp.async becomes a load into registers and a store to shared memory, whose bytes arrive at once. The
/// record marks where its group ends and which instruction waits for it.
void Decoder::copy_async() {
  if (instruction_->has("bulk")) return copy_bulk();
  if (instruction_->has("commit_group")) return async_group(Sync::copy_commit);
  if (instruction_->has("wait_all")) {  // as ptxas does
    async_group(Sync::copy_commit);
    return async_group(Sync::copy_wait);
  }
  if (instruction_->has("wait_group")) return async_group(Sync::copy_wait, groups_left());
  if (instruction_->has("mbarrier")) return copy_arrives();
  if (!instruction_->has("async") || instruction_->operands.size() < 3) unsupported(instruction_->spelling());
  const Operand& size = operand(2);
  if (size.kind != Operand::Kind::integer || (size.bits != 4 && size.bits != 8 && size.bits != 16))
    fail("expected 4, 8 or 16 bytes");
  const auto words = static_cast<std::uint8_t>(size.bits / 4);
  std::vector<std::uint32_t> registers;
  std::vector<Row> rows;
  for (unsigned n = 0; n < words; ++n) {
    registers.push_back(rows_.new_register('w'));
    rows.push_back(rows_.row(registers.back()));
  }
  Flow load = simple(find_handler("cp.async.load")->handler);
  load.op.space = Space::global;
  load.op.op_class = OpClass::load;
  load.op.width = static_cast<std::uint8_t>(size.bits);
  load.op.count = words;
  load.op.flags |= instruction_->has("cg") ? bypass : 0;
  load.op.async = true;
  address(load, operand(1));
  if (instruction_->operands.size() > 3) {
    const Operand& bytes = operand(3);
    if (kind_of(bytes) == 'p')
      load.op.d2 = source(load, bytes, 'p');
    else if (kind_of(bytes) != 'l')  // 64 bits: a cache policy
      load.op.c = source(load, bytes, 'w');
  }
  load.op.rows = list(rows);
  load.writes = registers;
  load.memory = Flow::Memory::load;
  push(std::move(load));
  Flow store = simple(find_handler("st.32.w")->handler);
  store.op.space = Space::shared;
  store.op.op_class = OpClass::shared_store;
  store.op.width = 4;
  store.op.count = words;
  address(store, operand(0));
  store.op.b = rows[0];
  store.op.rows = list(rows);
  store.reads.insert(store.reads.end(), registers.begin(), registers.end());
  store.memory = Flow::Memory::store;
  push(std::move(store));
}

void Decoder::async_group(Sync sync, std::uint16_t groups_left) {
  other(true);
  flow_.back().op.sync = sync;
  flow_.back().op.operand = groups_left;
}
std::uint16_t Decoder::groups_left() {
  const Operand& n = operand(0);
  if (n.kind != Operand::Kind::integer || n.bits > 1024) fail("expected a number of groups up to 1024");
  return static_cast<std::uint16_t>(n.bits);
}

/// cp.async.mbarrier.arrive: the copies have already arrived. Without .noinc the arrival is added to the
/// barrier's count and does not lower it; its operand in the record is 0, with .noinc 1.
void Decoder::copy_arrives() {
  const bool arrives = instruction_->has("noinc");
  Flow f = simple(find_handler(arrives ? "mbarrier.arrive" : "mbarrier.copies")->handler);
  f.op.code = 1;
  f.op.sync = Sync::mbarrier_copies;
  barrier_memory(f, 0, true);
  push(std::move(f));
}

void Decoder::barrier_memory(Flow& f, std::size_t which, bool store) {
  f.op.space =
      instruction_->has("shared") || instruction_->has("shared::cta") || instruction_->has("shared::cluster")
          ? Space::shared
          : Space::generic;
  f.op.op_class = f.op.space == Space::shared ? (store ? OpClass::shared_store : OpClass::shared_load)
                                              : (store ? OpClass::store : OpClass::load);
  f.op.width = 8;
  f.memory = store ? Flow::Memory::store : Flow::Memory::load;
  f.barrier = true;
  address(f, operand(which));
}

void Decoder::memory_barrier() {
  const std::string verb = instruction_->suffix.empty() ? "" : instruction_->suffix[0];
  if (verb == "inval") return other(true);
  if (verb == "pending_count") return by_key("mbarrier.pending_count", instruction_->operands);
  if (verb == "test_wait" || verb == "try_wait") {
    Flow f = simple(find_handler("mbarrier.test")->handler);
    f.op.code = instruction_->has("parity") ? 1 : 0;
    f.op.sync = Sync::mbarrier_wait;
    f.op.d = destination(f, operand(0), 'p');
    barrier_memory(f, 1, false);
    f.op.b = source(f, operand(2), f.op.code != 0 ? 'w' : 'l');
    return push(std::move(f));
  }
  const bool init = verb == "init", arrives = verb == "arrive" || verb == "arrive_drop";
  if (!init && !arrives && verb != "expect_tx" && verb != "complete_tx")
    unsupported(instruction_->spelling());
  const std::size_t at = arrives ? 1 : 0;
  Flow f = simple(find_handler(init ? "mbarrier.init" : "mbarrier.arrive")->handler);
  const bool expects = instruction_->has("expect_tx"), completes = instruction_->has("complete_tx");
  f.op.code = static_cast<std::uint8_t>((arrives ? 1 : 0) | (verb == "arrive_drop" ? 2 : 0) |
                                        (expects ? 4 : 0) | (completes ? 8 : 0));
  f.op.sync = init        ? Sync::mbarrier_init
              : completes ? Sync::bulk_arrive
              : expects   ? Sync::mbarrier_expect
                          : Sync::mbarrier_arrive;
  barrier_memory(f, at, true);
  if (instruction_->operands.size() > at + 1)
    (expects || completes ? f.op.c : f.op.b) = source(f, operand(at + 1), 'w');
  if (arrives && operand(0).kind != Operand::Kind::sink) f.op.d = destination(f, operand(0), 'l');
  push(std::move(f));
}

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
constexpr Named<TensorMap::Element> elements_of_bytes[] = {
    {TensorMap::Element::u32, "u32"}, {TensorMap::Element::s32, "s32"},   {TensorMap::Element::u64, "u64"},
    {TensorMap::Element::s64, "s64"}, {TensorMap::Element::u32, "b32"},   {TensorMap::Element::u64, "b64"},
    {TensorMap::Element::f16, "f16"}, {TensorMap::Element::bf16, "bf16"}, {TensorMap::Element::f32, "f32"},
    {TensorMap::Element::f64, "f64"}};

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

/// cp.async.bulk: a load and a store of all bytes; then the barrier is informed, or a group ends.
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
  // The copy engine accesses the SM's own shared memory itself, without an instruction of the warp.
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

/// Reports bytes to the barrier at an operand: st.async, red.async.
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

/// tensormap.replace of one field, and tensormap.cp_fenceproxy, which copies a map for all lanes together.
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
