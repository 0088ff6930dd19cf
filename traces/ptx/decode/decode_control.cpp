#include "models/common/faults.h"
#include "traces/ptx/decode/decoder.h"
#include "traces/ptx/execute/operations.h"
#include "traces/ptx/lanes/handlers.h"

namespace strata::traces::ptx {

void Decoder::branch() {
  const Operand& to = operand(0);
  if (to.kind != Operand::Kind::label) fail("expected a label");
  Flow f = simple(instruction_->guard >= 0 ? do_branch : do_jump);
  f.ends_block = true;
  f.falls_through = instruction_->guard >= 0;
  frame_->jumps.emplace_back(flow_.size(), to.index);
  push(f);
}

void Decoder::indirect() {
  if (instruction_->guard >= 0) fail("brx.idx with a guard is not supported");
  const Operand& name = operand(1);
  const auto found = frame_->function->branch_targets.find(name.name);
  if (found == frame_->function->branch_targets.end()) fail("no list of targets '" + name.name + "'");
  Flow f = simple(do_indirect);
  f.op.a = source(f, operand(0), 'w');
  f.ends_block = true;
  f.falls_through = false;
  for (const std::uint32_t to : found->second) frame_->jumps.emplace_back(flow_.size(), to);
  push(f);
}

void Decoder::leave(bool exits) {
  Flow f;
  if (exits || frame_->function == &kernel_function_) {
    f = simple(do_exit);
    f.op.op_class = OpClass::exit;
  } else {
    f = simple(instruction_->guard >= 0 ? do_branch : do_jump);
    frame_->jumps.emplace_back(flow_.size(), static_cast<std::uint32_t>(frame_->function->code.size()));
  }
  f.ends_block = true;
  f.falls_through = instruction_->guard >= 0;
  push(f);
}

void Decoder::barrier() {
  const auto& s = instruction_->suffix;
  const bool arrive = instruction_->has("arrive");
  const bool reduce = instruction_->has("red");
  if (instruction_->has("cluster")) return cluster_barrier();
  if (!reduce && !arrive && !instruction_->has("sync") &&
      !(instruction_->opcode == "bar" && s.size() == 1 && s[0] == "warp"))
    unsupported(instruction_->spelling());
  if (instruction_->has("warp")) return other(true);
  // What is in the text is recorded as the text has it; a number in a register when it is executed.
  const std::size_t first = reduce ? 1 : 0, behind = instruction_->operands.size() - first;
  const bool counts = behind == (reduce ? 3u : 2u);
  const Operand& id = operand(first);
  const bool known =
      id.kind == Operand::Kind::integer && (!counts || operand(first + 1).kind == Operand::Kind::integer);
  const Sync sync = arrive ? Sync::barrier_arrive : Sync::barrier_sync;
  if (known) {
    emit(OpClass::barrier);
    Op& emitted = flow_.back().op;
    const auto warps = static_cast<unsigned>(counts ? operand(first + 1).bits / 32 : 0);
    emitted.operand = barrier_operand(static_cast<unsigned>(id.bits & 15), warps);
    if (id.bits != 0 || counts) emitted.sync = sync;
    flow_.back().barrier = true;
  }
  Flow f = simple(do_barrier);
  f.barrier = true;
  f.op.weight = 0;
  if (!known) f.op.op_class = OpClass::barrier;
  f.op.sync = sync;
  std::size_t next = 0;
  if (reduce) {
    f.op.code = instruction_->has("popc") ? 2 : instruction_->has("and") ? 3 : 4;
    f.op.d = destination(f, operand(next++), f.op.code == 2 ? 'w' : 'p');
  }
  f.op.a = source(f, operand(next++), 'w');
  const std::size_t rest = instruction_->operands.size() - next;
  if (rest == (reduce ? 2u : 1u)) f.op.b = source(f, operand(next++), 'w');
  if (arrive) {
    if (f.op.b == no_row) fail("expected a number of threads");
    f.op.code = 1;
  }
  if (reduce) {
    f.op.c = source(f, operand(next), 'p');
    if (operand(next).negated) f.op.flags |= negate_c;
  }
  push(f);
}

void Decoder::cluster_barrier() {
  const bool waits = instruction_->has("wait");
  if (instruction_->opcode != "barrier" || waits == instruction_->has("arrive") ||
      !instruction_->operands.empty())
    unsupported(instruction_->spelling());
  out_->meets_cluster = true;
  other(true);
  flow_.back().op.sync = waits ? Sync::cluster_wait : Sync::cluster_arrive;
  Flow f = simple(do_cluster_barrier);
  f.barrier = true;
  f.op.weight = 0;
  f.op.code = waits ? 1 : 0;
  push(f);
}

/// setmaxnreg: registers move between warps, which changes no value. The multiples of 8 from 24 to 256 are
/// those of PTX ISA 9.1, "setmaxnreg".
void Decoder::register_limit() {
  const Operand& count = operand(0);
  if (!instruction_->has("inc") && !instruction_->has("dec")) unsupported(instruction_->spelling());
  if (count.kind != Operand::Kind::integer || count.bits < 24 || count.bits > 256 || count.bits % 8 != 0)
    fail("expected a multiple of 8 registers from 24 to 256");
  other(false);
}

void Decoder::other(bool barrier) {
  emit(OpClass::other);
  flow_.back().barrier = barrier;
}

}  // namespace strata::traces::ptx
