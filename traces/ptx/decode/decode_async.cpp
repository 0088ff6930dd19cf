#include <string_view>

#include "traces/ptx/decode/decoder.h"
#include "traces/ptx/execute/operations.h"
#include "traces/ptx/lanes/handlers.h"

namespace strata::traces::ptx {

/// cp.async becomes a load into registers and a store to shared memory, whose bytes arrive at once. Records
/// say where its group ends and what waits for it.
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

/// cp.async.mbarrier.arrive: the copies are there already. Without .noinc the arrival is one more than the
/// barrier was made for, and takes nothing from it; its operand in the record is 0, with .noinc 1.
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

}  // namespace strata::traces::ptx
