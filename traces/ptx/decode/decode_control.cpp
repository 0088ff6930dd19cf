// Branches, barriers and calls. Functions are inlined; they are called if they are recursive or called
// through a pointer. Calls of CUDA's device runtime: libcudadevrt comes as PTX and reduces them to
// cudaLaunchDevice and a few others, whose names and parameters it declares in both of its versions.
#include <algorithm>

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
  // A number in the text is recorded as it is; a number in a register is recorded when it is executed.
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
  out_->uses_cluster_barrier = true;
  other(true);
  flow_.back().op.sync = waits ? Sync::cluster_wait : Sync::cluster_arrive;
  Flow f = simple(do_cluster_barrier);
  f.barrier = true;
  f.op.weight = 0;
  f.op.code = waits ? 1 : 0;
  push(f);
}

/// setmaxnreg moves registers between warps, which changes no value. Multiples of 8 from 24 to 256: PTX
/// ISA 9.1, "setmaxnreg".
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

namespace {

constexpr std::uint32_t stack_bytes = 16 * 1024;  ///< of a thread; CUDA's default is 1 KiB
constexpr std::uint32_t slot_bytes = 16;          ///< alignment of results and parameters in a frame

std::uint32_t slots(std::uint64_t bytes) {
  return static_cast<std::uint32_t>((bytes + slot_bytes - 1) / slot_bytes * slot_bytes);
}

}  // namespace

void Decoder::call() {
  if (instruction_->guard >= 0) fail("call with a guard is not supported");
  if (operand(0).kind == Operand::Kind::reg) {
    pointed_functions();
    return call_body(0, &operand(0));
  }
  const std::string& name = operand(0).name;
  const Function* callee = module_.find_function(name);
  if (callee == nullptr || !callee->has_body) {
    if (name == "vprintf") return print();
    if (name == "__assertfail") return assertion();
    if (name == "malloc" || name == "free") return heap_call(name);
    if (device_call(name)) return;
    std::vector<std::string> names;
    for (const Function& f : module_.functions)
      if (f.has_body && !f.entry) names.push_back(f.name);
    fail("function '" + name + "' has no body in this file" + suggestion(name, names));
  }
  if (calls_itself(*callee)) return call_body(body_of(*callee), nullptr);
  Frame frame;
  frame.function = callee;
  frame.on_stack = frame_->on_stack;
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

/// Offsets of the format, the values and the result in local memory, 20 bits each.
void Decoder::print() {
  const auto& arguments = instruction_->arguments;
  if (arguments.size() != 2) fail("expected 2 arguments");
  std::uint64_t places[3] = {0, 0, no_place};
  for (std::size_t n = 0; n < 2; ++n) {
    if (arguments[n].kind != Operand::Kind::variable || arguments[n].of_module)
      fail("expected .param variables as arguments");
    places[n] = parameter_place(arguments[n]);
  }
  if (!instruction_->results.empty()) places[2] = parameter_place(instruction_->results[0]);
  emit(OpClass::other);
  Flow f = simple(do_print);
  f.barrier = true;
  f.op.weight = 0;
  f.op.offset = static_cast<std::int64_t>(places[0] | places[1] << 20 | places[2] << 40);
  if (frame_->on_stack != nullptr) {
    f.op.a = rows_.row(frame_register_);
    f.reads.push_back(frame_register_);
  }
  push(f);
}

/// Offsets of the texts and the line of a failed assertion, 16 bits each; none if they do not fit.
void Decoder::assertion() {
  std::uint64_t places = 0;
  const auto& arguments = instruction_->arguments;
  bool known = arguments.size() >= 4;
  for (std::size_t n = 0; n < 4 && known; ++n) {
    known = arguments[n].kind == Operand::Kind::variable && !arguments[n].of_module;
    const std::uint64_t place = known ? parameter_place(arguments[n]) : 0;
    known = known && place < 0xffff;
    places |= place << 16 * n;
  }
  Flow f = simple(do_assert);
  f.barrier = true;
  f.op.offset = static_cast<std::int64_t>(known ? places : ~std::uint64_t{0});
  if (frame_->on_stack != nullptr) {
    f.op.a = rows_.row(frame_register_);
    f.reads.push_back(frame_register_);
  }
  push(f);
}

/// True if a chain of calls leads from `function` back to it.
bool Decoder::calls_itself(const Function& function) {
  const auto known = calls_itself_.find(&function);
  if (known != calls_itself_.end()) return known->second;
  std::set<const Function*> seen;
  std::vector<const Function*> left = {&function};
  bool found = false;
  while (!left.empty() && !found) {
    const Function* f = left.back();
    left.pop_back();
    for (const Instruction& i : f->code) {
      if (i.opcode != "call" || i.operands.empty() || i.operands[0].kind != Operand::Kind::function) continue;
      const Function* callee = module_.find_function(i.operands[0].name);
      found = found || callee == &function;
      if (callee != nullptr && seen.insert(callee).second) left.push_back(callee);
    }
  }
  return calls_itself_[&function] = found;
}

std::uint64_t Decoder::body_of(const Function& function) {
  const auto made = body_numbers_.emplace(&function, out_->bodies.size());
  if (made.second) {
    out_->bodies.emplace_back();
    out_->bodies.back().function = &function;
  }
  return made.first->second;
}

/// Functions whose address is taken: a call through a pointer may reach any of them.
void Decoder::pointed_functions() {
  const auto point = [&](const std::string& name) {
    const Function* f = module_.find_function(name);
    if (f != nullptr && f->has_body && !f->entry && pointed_.insert(f).second) body_of(*f);
  };
  for (const Variable& v : module_.variables)
    for (const Variable::Pointer& p : v.pointers) point(p.symbol);
  for (const Function& f : module_.functions)
    for (const Instruction& i : f.code)
      for (const Operand& o : i.operands)
        if (i.opcode != "call" && o.kind == Operand::Kind::function) point(o.name);
}

void Decoder::use_stack() {
  if (frame_register_ != 0) return;
  frame_register_ = rows_.new_register('l');
  top_register_ = rows_.new_register('l');
  out_->frame_row = rows_.row(frame_register_);
  out_->top_row = rows_.row(top_register_);
}

/// Copies a variable of a call between the caller and the new frame, which begins at the top of the stack.
void Decoder::copy_local(const Operand& o, std::uint32_t at, bool to_frame) {
  const Variable& v = variable(o);
  const std::uint32_t place = parameter_place(o), caller = frame_->on_stack != nullptr ? frame_register_ : 0;
  for (std::uint32_t done = 0; done < v.bytes;) {
    std::uint32_t piece = 8;
    while (piece > v.bytes - done) piece /= 2;
    if (to_frame)
      local_copy_part(caller, place + done, top_register_, at + done, piece);
    else
      local_copy_part(top_register_, at + done, caller, place + done, piece);
    done += piece;
  }
}

/// Register 0 means no base.
void Decoder::local_copy_part(std::uint32_t from_register, std::int64_t from, std::uint32_t to_register,
                              std::int64_t to, std::uint32_t bytes) {
  const char kind = bytes == 8 ? 'l' : bytes == 4 ? 'w' : 'h';
  const std::uint32_t value = rows_.new_register(kind);
  const std::string bits = std::to_string(bytes * 8), letter_of = std::string(".") + kind;
  const auto address = [&](Flow& f, std::uint32_t base, std::int64_t offset) {
    f.op.space = Space::local;
    f.op.flags |= no_record;
    f.op.weight = 0;
    f.op.width = static_cast<std::uint8_t>(bytes);
    f.op.a = base != 0 ? rows_.row(base) : rows_.constant('l', 0);
    f.op.offset = offset;
    if (base != 0) f.reads.push_back(base);
  };
  Flow load = simple(find_handler("ld.u" + bits + letter_of)->handler);
  address(load, from_register, from);
  load.op.op_class = OpClass::load;
  load.op.d = rows_.row(value);
  load.op.rows = list({load.op.d});
  load.memory = Flow::Memory::load;
  load.writes.push_back(value);
  push(std::move(load));
  Flow store = simple(find_handler("st." + bits + letter_of)->handler);
  address(store, to_register, to);
  store.op.op_class = OpClass::store;
  store.op.b = rows_.row(value);
  store.op.rows = list({store.op.b});
  store.memory = Flow::Memory::store;
  store.reads.push_back(value);
  push(std::move(store));
}

/// A frame holds results, then parameters, then variables.
void Decoder::call_body(std::uint64_t body, const Operand* pointer) {
  use_stack();
  for (const auto* operands : {&instruction_->results, &instruction_->arguments})
    for (const Operand& o : *operands)
      if (o.kind != Operand::Kind::variable || o.of_module) fail("expected .param variables as arguments");
  if (pointer == nullptr) {
    const Function& callee = *out_->bodies[body].function;
    if (callee.parameters.size() != instruction_->arguments.size() ||
        callee.results.size() != instruction_->results.size())
      fail("'" + callee.name + "' takes another number of parameters");
  }
  std::uint32_t at = 0;
  for (const Operand& o : instruction_->results) at += slots(variable(o).bytes);
  for (const Operand& o : instruction_->arguments) {
    copy_local(o, at, true);
    at += slots(variable(o).bytes);
  }
  Flow f = simple(pointer != nullptr ? do_call_pointer : do_call);
  f.op.offset = static_cast<std::int64_t>(pointer != nullptr ? at : body);
  if (pointer != nullptr) f.op.a = source(f, *pointer, 'l');
  f.barrier = f.ends_block = true;
  f.reads.push_back(top_register_);
  f.writes = {frame_register_, top_register_};
  push(std::move(f));
  at = 0;
  for (const Operand& o : instruction_->results) {
    copy_local(o, at, false);
    at += slots(variable(o).bytes);
  }
  Flow back = simple(do_nothing);
  back.op.weight = 0;
  push(std::move(back));
}

/// Decodes the called functions once each; they may call more.
void Decoder::bodies() {
  for (std::size_t n = 0; n < out_->bodies.size(); ++n) {
    const Function& function_here = *out_->bodies[n].function;
    FrameLayout layout;
    Frame frame;
    frame.function = &function_here;
    frame.on_stack = &layout;
    for (const auto* formal : {&function_here.results, &function_here.parameters})
      for (const std::uint32_t v : *formal) {
        frame.parameter_at[v] = layout.bytes;
        layout.bytes += slots(function_here.variables[v].bytes);
      }
    Body made;
    made.function = &function_here;
    made.flow = static_cast<std::uint32_t>(flow_.size());
    made.first_row = rows_.register_bytes();
    function(frame);
    made.rows_end = rows_.register_bytes();
    made.frame_bytes = slots(layout.bytes);
    Flow back = simple(do_return);
    back.ends_block = true;
    back.falls_through = false;
    flow_.push_back(back);
    out_->bodies[n] = made;
  }
  if (frame_register_ == 0) return;
  out_->stack_begin = slots(local_bytes_);
  local_bytes_ = out_->stack_begin + stack_bytes;
}

/// alloca, stacksave and stackrestore.
void Decoder::stack_memory(const char* key) {
  use_stack();
  const bool restores = instruction_->opcode == "stackrestore";
  Flow f = simple(find_handler(key)->handler);
  f.barrier = true;
  f.reads.push_back(top_register_);
  f.writes.push_back(top_register_);
  if (restores) {
    f.op.a = source(f, operand(0), 'l');
  } else {
    f.op.d = destination(f, operand(0), 'l');
    if (instruction_->opcode == "alloca") f.op.a = source(f, operand(1), 'l');
    const bool aligned = instruction_->operands.size() > 2 && operand(2).kind == Operand::Kind::integer;
    f.op.offset = aligned ? static_cast<std::int64_t>(operand(2).bits) : 8;
    if (f.op.offset <= 0 || f.op.offset > 4096 || (f.op.offset & (f.op.offset - 1)) != 0)
      fail("expected an alignment that is a power of two up to 4096");
  }
  push(std::move(f));
}

/// malloc and free: argument and result are in local memory, like those of other calls.
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
    const std::uint32_t base = frame_->on_stack != nullptr ? frame_register_ : 0;
    f.op.a = base != 0 ? rows_.row(base) : rows_.constant('l', 0);
    f.op.offset = parameter_place(at);
    if (base != 0) f.reads.push_back(base);
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
  heap.op.weight = 64;  // a routine of the system
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

namespace {

struct Declared {
  const char* name;
  DeviceCall::Kind kind;
  std::uint32_t result_bytes;
  std::vector<std::uint32_t> argument_bytes;
};

const std::vector<Declared>& declared() {
  using Kind = DeviceCall::Kind;
  static const std::vector<Declared> all = {
      {"GetParameterBufferV2", Kind::parameter_buffer, 8, {8, 12, 12, 4}},
      {"LaunchDeviceV2", Kind::launch, 4, {8, 8}},
      {"StreamCreate", Kind::create, 4, {8, 4}},
      {"StreamDestroy", Kind::accept, 4, {8}},
      {"StreamWaitEvent", Kind::accept, 4, {8, 8, 4}},
      {"EventCreate", Kind::create, 4, {8, 4}},
      {"EventRecord", Kind::accept, 4, {8, 8}},
      {"EventDestroy", Kind::accept, 4, {8}},
      {"GetLastError", Kind::last_error, 4, {}},
      {"SetLastError", Kind::set_last_error, 4, {4}},
      {"GetDevice", Kind::device, 4, {8}},
      {"GetDeviceCount", Kind::device_count, 4, {8}},
      {"cudaGraphSetConditional", Kind::set_condition, 0, {8, 4}},
  };
  return all;
}

}  // namespace

/// False if there is no such call.
bool Decoder::device_call(const std::string& name) {
  const Declared* found = nullptr;
  for (const Declared& one : declared())
    if (one.kind == DeviceCall::Kind::set_condition
            ? name == one.name
            : name == std::string("__cuda_syscall_cnpv2") + one.name || name == std::string("cnp") + one.name)
      found = &one;
  if (found == nullptr) return false;
  const auto place = [&](const Operand& o, std::uint32_t bytes) {
    if (o.kind != Operand::Kind::variable || o.of_module) fail("expected .param variables as arguments");
    if (variable(o).bytes != bytes)
      fail("'" + name + "': expected a parameter of " + std::to_string(bytes) + " B, found one of " +
           std::to_string(variable(o).bytes) + " B");
    return parameter_place(o);
  };
  const auto &arguments = instruction_->arguments, &results = instruction_->results;
  const std::size_t wanted = found->result_bytes != 0 ? 1 : 0;
  if (arguments.size() != found->argument_bytes.size() || results.size() != wanted)
    fail("'" + name + "': expected " + std::to_string(found->argument_bytes.size()) + " parameters and " +
         std::to_string(wanted) + " results, found " + std::to_string(arguments.size()) + " and " +
         std::to_string(results.size()));
  DeviceCall call;
  call.kind = found->kind;
  for (std::size_t n = 0; n < arguments.size(); ++n)
    call.arguments[n] = place(arguments[n], found->argument_bytes[n]);
  if (wanted != 0) call.result = place(results[0], found->result_bytes);
  if (call.kind == DeviceCall::Kind::parameter_buffer) out_->uses_heap = true;  // the buffer is in the heap
  Flow f = simple(do_device_call);
  f.barrier = true;
  f.op.weight = 64;  // a routine of the system
  f.op.offset = static_cast<std::int64_t>(out_->device_calls.size());
  out_->device_calls.push_back(call);
  if (frame_->on_stack != nullptr) {
    f.op.a = rows_.row(frame_register_);
    f.reads.push_back(frame_register_);
  }
  push(f);
  return true;
}

}  // namespace strata::traces::ptx
