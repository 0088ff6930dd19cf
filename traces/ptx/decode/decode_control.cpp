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

void Decoder::call() {
  if (instruction_->guard >= 0) fail("call with a guard is not supported");
  const std::string& name = operand(0).name;
  const Function* callee = module_.find_function(name);
  if (callee == nullptr || !callee->has_body) {
    if (name == "vprintf") return other(false);  // prints nothing
    if (name == "__assertfail") {
      Flow f = simple(do_assert);
      f.barrier = true;
      return push(f);
    }
    if (name == "malloc" || name == "free") return heap_call(name);
    std::vector<std::string> names;
    for (const Function& f : module_.functions)
      if (f.has_body && !f.entry) names.push_back(f.name);
    fail("function '" + name + "' has no body in this file" + suggestion(name, names));
  }
  Frame frame;
  frame.function = callee;
  const auto bind = [&](const std::vector<std::uint32_t>& formal, const std::vector<Operand>& actual) {
    if (formal.size() != actual.size())
      fail("'" + name + "' takes " + std::to_string(formal.size()) + " parameters, found " +
           std::to_string(actual.size()));
    for (std::size_t n = 0; n < formal.size(); ++n) {
      const Operand& a = actual[n];
      if (a.kind != Operand::Kind::variable || a.of_module) fail("expected .param variables as arguments");
      if (variable(a).bytes != callee->variables[formal[n]].bytes)
        fail("argument " + std::to_string(n) + " has another size");
      frame.parameter_at[formal[n]] = parameter_place(a);
    }
  };
  bind(callee->parameters, instruction_->arguments);
  bind(callee->results, instruction_->results);
  function(frame);
  Flow join = simple(do_nothing);  // a place to return to
  join.op.weight = 0;
  push(join);
}

/// malloc and free: the argument and the result lie in local memory, as those of other calls.
void Decoder::heap_call(const std::string& name) {
  const bool makes = name == "malloc";
  if (instruction_->arguments.size() != 1 || instruction_->results.size() != (makes ? 1U : 0U))
    fail("'" + name + "' takes one argument of 64 bits");
  out_->uses_heap = true;
  const std::uint32_t size = rows_.new_register('l'), made = rows_.new_register('l');
  const auto local = [&](const char* key, const Operand& at) {
    if (at.kind != Operand::Kind::variable || variable(at).bytes != 8)
      fail("'" + name + "' takes one argument of 64 bits");
    Flow f = simple(find_handler(key)->handler);
    f.op.space = Space::local;
    f.op.flags |= no_record;
    f.op.weight = 0;
    f.op.width = 8;
    f.op.a = rows_.constant('l', parameter_place(at));
    return f;
  };
  Flow load = local("ld.u64.l", instruction_->arguments[0]);
  load.op.d = rows_.row(size);
  load.op.rows = list({load.op.d});
  load.memory = Flow::Memory::load;
  load.writes.push_back(size);
  push(std::move(load));
  Flow heap = simple(find_handler(makes ? "heap.malloc" : "heap.free")->handler);
  heap.op.a = rows_.row(size);
  heap.op.d = rows_.row(made);
  heap.op.weight = 64;  // of a routine of the system
  heap.barrier = true;
  heap.reads.push_back(size);
  heap.writes.push_back(made);
  push(std::move(heap));
  if (!makes) return;
  Flow store = local("st.64.l", instruction_->results[0]);
  store.op.op_class = OpClass::store;
  store.op.b = rows_.row(made);
  store.op.rows = list({store.op.b});
  store.memory = Flow::Memory::store;
  store.reads.push_back(made);
  push(std::move(store));
}

void Decoder::barrier() {
  const auto& s = instruction_->suffix;
  const bool arrive = instruction_->has("arrive");
  const bool reduce = instruction_->has("red");
  if (instruction_->has("cluster")) unsupported(instruction_->spelling());
  if (!reduce && !arrive && !instruction_->has("sync") &&
      !(instruction_->opcode == "bar" && s.size() == 1 && s[0] == "warp"))
    unsupported(instruction_->spelling());
  if (instruction_->has("warp")) return other(true);
  emit(OpClass::barrier);
  flow_.back().barrier = true;
  Flow f = simple(do_barrier);
  f.barrier = true;
  f.op.weight = 0;
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

void Decoder::other(bool barrier) {
  emit(OpClass::other);
  flow_.back().barrier = barrier;
}

}  // namespace strata::traces::ptx
