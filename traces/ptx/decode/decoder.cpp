#include "traces/ptx/decode/decoder.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "models/common/faults.h"
#include "traces/ptx/execute/operations.h"
#include "traces/ptx/execute/path_library.h"
#include "traces/ptx/lanes/handlers.h"

namespace strata::traces::ptx {

namespace {

constexpr std::size_t most_operations = 500000;  ///< about 300 MB; kernels of nvcc have far below 100 000
constexpr std::size_t deepest_call = 128;

/// Opcodes that Decoder::instruction() names.
const std::vector<std::string>& other_opcodes() {
  static const std::vector<std::string> names = {"bra",
                                                 "brx",
                                                 "ret",
                                                 "exit",
                                                 "call",
                                                 "ld",
                                                 "ldu",
                                                 "st",
                                                 "atom",
                                                 "red",
                                                 "mov",
                                                 "cvt",
                                                 "cvta",
                                                 "bar",
                                                 "barrier",
                                                 "membar",
                                                 "fence",
                                                 "prefetch",
                                                 "prefetchu",
                                                 "nanosleep",
                                                 "discard",
                                                 "applypriority",
                                                 "griddepcontrol",
                                                 "setmaxnreg",
                                                 "trap",
                                                 "brkpt",
                                                 "shfl",
                                                 "vote",
                                                 "match",
                                                 "redux",
                                                 "activemask",
                                                 "elect",
                                                 "setp",
                                                 "set",
                                                 "tex",
                                                 "tld4",
                                                 "txq",
                                                 "suq",
                                                 "suld",
                                                 "sust",
                                                 "cp",
                                                 "mbarrier",
                                                 "mma",
                                                 "wmma",
                                                 "ldmatrix",
                                                 "stmatrix",
                                                 "movmatrix",
                                                 "wgmma",
                                                 "isspacep",
                                                 "tensormap",
                                                 "createpolicy",
                                                 "mapa",
                                                 "getctarank",
                                                 "alloca",
                                                 "stacksave",
                                                 "stackrestore",
                                                 "mad"};
  return names;
}

/// The execution unit by opcode and type: Volta's, as in the table of SASS opcodes.
Unit unit_of(const Instruction& instruction) {
  static const std::set<std::string> control = {"bra", "brx", "call", "ret", "exit", "nanosleep"};
  static const std::set<std::string> whole = {"mov", "ld", "st", "cvt", "prmt", "shfl"};  // for every type
  if (instruction.opcode == "mma" || instruction.opcode == "wmma" || instruction.opcode == "wgmma")
    return Unit::tensor;
  if (control.count(instruction.opcode) != 0) return Unit::branch;
  if (whole.count(instruction.opcode) != 0) return Unit::integer;
  for (const std::string& part : instruction.suffix) {
    Type type;
    if (!parse_type(part, type) || (type.kind != 'f' && type.kind != 'h')) continue;
    return type.bits == 64 ? Unit::dp : Unit::sp;
  }
  return Unit::integer;
}

}  // namespace

std::unique_ptr<DecodedKernel> Decoder::run() {
  for (int axis = 0; axis < 3; ++axis) tid_[axis] = rows_.new_register('w');
  warp_id_ = rows_.new_register('w');
  for (const std::uint32_t p : kernel_function_.parameters) {
    const Variable& v = kernel_function_.variables[p];
    out_->parameter_bytes = (out_->parameter_bytes + v.align - 1) / v.align * v.align;
    out_->parameter_offsets.push_back(out_->parameter_bytes);
    out_->parameter_bytes += static_cast<std::uint32_t>(v.bytes);
    if (out_->parameter_bytes > 32764) fail_line(v.line, "expected at most 32764 B of parameters");
  }
  std::set<const Function*> seen;
  find_shared(kernel_function_, seen);
  for (std::uint32_t n = 0; n < module_.variables.size(); ++n)  // in order of the file
    if (used_shared_.count(n) != 0) shared_offset(module_.variables[n]);
  Frame frame;
  frame.function = &kernel_function_;
  function(frame);
  Flow end = simple(do_exit);
  end.op.op_class = OpClass::exit;
  end.ends_block = true;
  end.falls_through = false;
  end.op.pc = static_cast<std::uint32_t>(out_->code.size() - (out_->code.empty() ? 0 : 1));
  flow_.push_back(end);
  bodies();
  // Programs that align their dynamic shared memory expect its base to be aligned (bulk copies, swizzled
  // matrices).
  out_->shared_bytes = dynamic_align_ > 16
                           ? (shared_bytes_ + dynamic_align_ - 1) / dynamic_align_ * dynamic_align_
                           : shared_bytes_;
  out_->local_bytes = (local_bytes_ + 15) / 16 * 16;
  out_->register_bytes = rows_.register_bytes();
  static const Instruction nothing;  // stands in for a kernel without instructions: operations name one
  if (out_->code.empty()) out_->code.push_back(&nothing);
  return finish();
}

/// Largest access of an instruction to shared memory: 16, 8 (copies), or 0.
std::uint32_t OperandDecoder::reaches_wide(const Instruction& i) {
  constexpr std::uint32_t wide = 16;
  if (i.opcode == "cp") {
    if (i.has("bulk")) return wide;
    const bool sized = i.operands.size() > 2 && i.operands[2].kind == Operand::Kind::integer;
    return !sized ? 0 : i.operands[2].bits == 16 ? wide : i.operands[2].bits == 8 ? 8 : 0;
  }
  if (i.opcode != "ld" && i.opcode != "st") return 0;
  for (const char* space : {"global", "local", "const", "param", "param::entry", "param::func"})
    if (i.has(space)) return 0;
  Type type;
  for (const std::string& part : i.suffix) parse_type(part, type);
  return (i.has("v4") ? 4 : i.has("v2") ? 2 : 1) * type.bytes() >= wide ? wide : 0;
}

/// Shared variables of the module that `function` and its callees name: a kernel has no others.
void OperandDecoder::find_shared(const Function& function, std::set<const Function*>& seen) {
  if (!seen.insert(&function).second) return;
  const auto visit = [&](const Operand& o, const auto& self) -> void {
    for (const Operand& e : o.elements) self(e, self);
    if (o.kind == Operand::Kind::function) {
      const Function* callee = module_.find_function(o.name);
      if (callee != nullptr) find_shared(*callee, seen);
    }
    if (o.kind != Operand::Kind::variable || !o.of_module) return;
    const Variable& v = module_.variables[o.index];
    if (v.space == Space::shared && v.bytes != 0) used_shared_.insert(o.index);
  };
  for (const Instruction& i : function.code) {
    wide_shared_ = std::max(wide_shared_, reaches_wide(i));
    for (const Operand& o : i.operands) visit(o, visit);
    if (i.opcode != "call" || i.operands.empty() || i.operands[0].kind != Operand::Kind::reg) continue;
    for (const Function& f : module_.functions)  // a call through a pointer may reach any of them
      if (!f.entry && f.has_body) find_shared(f, seen);
  }
}

void OperandDecoder::fail_line(int line, const std::string& message) const {
  throw TraceError(Fault{{module_.path, line, 0}, ("kernel " + kernel_function_.name + ": ") + message});
}

void OperandDecoder::fail(const std::string& message) const {
  fail_line(instruction_->line, instruction_->spelling() + ": " + message);
}

std::unique_ptr<DecodedKernel> Decoder::finish() {
  std::vector<std::uint8_t> words;
  for (const char kind : rows_.kinds()) words.push_back(kind == 'l' ? 2 : kind == 'p' ? 0 : 1);
  out_->register_rows = rows_.rows();
  lay_out(*out_, flow_, words, 0);
  out_->libraries = std::make_shared<PathLibraries>();
  out_->flow = std::move(flow_);
  out_->words = std::move(words);
  out_->layouts = std::make_shared<Layouts>();
  return std::move(out_);
}

void Decoder::function(Frame& frame) {
  if (calls_.size() >= deepest_call) fail("calls nested too deep: more than " + std::to_string(deepest_call));
  if (frame.function->fault != nullptr) {
    Fault fault = frame.function->fault->fault();
    if (!frame.function->entry) fault.message = "kernel " + kernel_function_.name + ": " + fault.message;
    throw TraceError(fault);
  }
  calls_.push_back(frame.function);
  const auto known = frames_.find(frame.function);
  if (known == frames_.end() || frame.on_stack != nullptr) {
    frame.registers = rows_.registers();
    for (const Register& r : frame.function->registers) {
      const std::uint32_t made = rows_.new_register(letter(r.type));
      if (r.type.bits == 128) high_halves_[made] = 0;
    }
    for (auto half = high_halves_.lower_bound(frame.registers); half != high_halves_.end(); ++half)
      half->second = rows_.new_register('l');
    frames_[frame.function] = frame.registers;
  } else {
    frame.registers = known->second;
  }
  Frame* const outer = frame_;
  const Instruction* const call_site = instruction_;
  frame_ = &frame;
  for (const Instruction& i : frame.function->code) {
    frame.starts.push_back(static_cast<std::uint32_t>(flow_.size()));
    instruction_ = &i;
    out_->code.push_back(&i);
    instruction();
  }
  frame.starts.push_back(static_cast<std::uint32_t>(flow_.size()));
  for (const auto& jump : frame.jumps) {
    if (jump.second >= frame.starts.size()) fail_line(frame.function->line, "a branch to nowhere");
    flow_[jump.first].targets.push_back(frame.starts[jump.second]);
  }
  frame_ = outer;
  instruction_ = call_site;
  calls_.pop_back();
}

void Decoder::instruction() {
  const std::string& op = instruction_->opcode;
  if (op == "bra") return branch();
  if (op == "brx") return indirect();
  if (op == "ret" || op == "exit") return leave(op == "exit");
  if (op == "call") return call();
  if (op == "ld" || op == "ldu") return load();
  if (op == "st") return store();
  if (op == "atom" || op == "red") return atomic();
  if (op == "mov") return move();
  if (op == "cvt") return convert();
  if (op == "cvta") return convert_address();
  if (op == "bar" || op == "barrier") return barrier();
  if (op == "membar" || op == "fence") return other(true);
  if (op == "prefetch" || op == "prefetchu" || op == "nanosleep" || op == "discard" ||
      op == "applypriority" || op == "griddepcontrol")
    return other(false);
  if (op == "setmaxnreg") return register_limit();
  if (op == "trap" || op == "brkpt") {
    Flow f = simple(do_trap);
    f.barrier = true;
    return push(f);
  }
  if (op == "shfl" || op == "vote" || op == "match" || op == "redux" || op == "activemask" || op == "elect")
    return warp_wide();
  if (op == "setp" || op == "set") return set_predicate();
  if (op == "tex" || op == "tld4") return texture();
  if (op == "txq" || op == "suq") return texture_query();
  if (op == "suld" || op == "sust") return surface(op == "sust");
  if (op == "cp") return copy_async();
  if (op == "mbarrier") return memory_barrier();
  if (op == "mma" || op == "wmma" || op == "ldmatrix" || op == "stmatrix" || op == "movmatrix")
    return tensor();
  if (op == "wgmma") return group_tensor();
  if (op == "isspacep") return space_test();
  if (op == "tensormap") return tensor_map();
  if (op == "createpolicy") return cache_policy();
  if (op == "mapa" || op == "getctarank") return cluster_address();
  if (op == "alloca" || op == "stacksave" || op == "stackrestore") return stack_memory(op.c_str());
  arithmetic();
}

Flow OperandDecoder::simple(Handler fn) const {
  Flow f;
  f.op.fn = fn;
  f.op.pc = static_cast<std::uint32_t>(out_->code.empty() ? 0 : out_->code.size() - 1);
  return f;
}

void OperandDecoder::by_key(const std::string& key, const std::vector<Operand>& operands, std::uint8_t weight,
                            std::uint8_t code) {
  const HandlerEntry* entry = find_handler(key);
  if (entry == nullptr) unsupported(key);
  Flow f = simple(entry->handler);
  f.op.weight = weight;
  f.op.code = code;
  const char* sources = entry->signature.text + 2;  // behind "d="
  const std::size_t wanted = std::strlen(sources) + 1;
  const bool predicate = entry->signature.text[0] == 'p';
  if (operands.size() < wanted || operands.size() > wanted + (predicate ? 1 : 0))
    fail("expected " + std::to_string(wanted) + " operands, found " + std::to_string(operands.size()));
  Row* const into[] = {&f.op.a, &f.op.b, &f.op.c, &f.op.d2};
  const std::uint8_t negations[] = {negate_a, negate_b, negate_c, 0};
  for (std::size_t n = 0; sources[n] != 0; ++n) {
    *into[n] = source(f, operands[n + 1], sources[n]);
    if (operands[n + 1].negated) f.op.flags |= negations[n];
  }
  f.op.d = destination(f, operands[0], entry->signature.text[0]);
  if (predicate && !operands[0].elements.empty()) f.op.d2 = destination(f, operands[0].elements[0], 'p');
  if (predicate && operands.size() > wanted) {
    f.op.c = source(f, operands[wanted], 'p');
    if (operands[wanted].negated) f.op.flags |= negate_c;
  }
  push(std::move(f));
}

void OperandDecoder::unsupported(const std::string& key) const {
  std::vector<std::string> keys = handler_keys();
  keys.insert(keys.end(), other_opcodes().begin(), other_opcodes().end());
  const std::string& opcode = instruction_->opcode;
  std::set<std::string> bases;
  for (const std::string& k : keys) bases.insert(k.substr(0, k.find('.')));
  const bool known = bases.count(opcode) != 0;
  fail_line(instruction_->line,
            "unsupported instruction '" + instruction_->spelling() + "'" +
                (known ? suggestion(key, keys) : suggestion(opcode, {bases.begin(), bases.end()})));
}

void OperandDecoder::push(Flow f) {
  if (flow_.size() > most_operations) fail("the kernel is too large with its functions inlined");
  if (instruction_ != nullptr) f.op.unit = unit_of(*instruction_);
  if (instruction_->guard >= 0 && f.op.guard == no_row) {
    const std::uint32_t r = frame_->registers + static_cast<std::uint32_t>(instruction_->guard);
    if (rows_.kind(r) != 'p') fail("the guard is not a predicate");
    f.op.guard = rows_.row(r);
    if (instruction_->guard_negated) f.op.flags |= negate_guard;
    f.reads.push_back(r);
    f.conditional = true;
  }
  flow_.push_back(std::move(f));
}

void OperandDecoder::emit(OpClass op_class) {
  Flow f = simple(do_emit);
  f.op.op_class = op_class;
  f.op.weight = 0;
  f.op.guard = 0;  // issued regardless of the guard
  flow_.push_back(f);
  flow_.back().op.guard = no_row;
}

bool OperandDecoder::has_type() const {
  Type type;
  for (const std::string& part : instruction_->suffix)
    if (parse_type(part, type)) return true;
  return false;
}

Type OperandDecoder::last_type() const {
  Type type;
  for (std::size_t n = instruction_->suffix.size(); n-- > 0;)
    if (parse_type(instruction_->suffix[n], type)) return type;
  fail("expected a type");
}

const Row* OperandDecoder::list(std::vector<Row> rows) {
  out_->lists.push_back(std::move(rows));
  return out_->lists.back().data();
}

std::vector<std::string> interpreted_instructions() {
  std::vector<std::string> names = handler_keys();
  names.insert(names.end(), other_opcodes().begin(), other_opcodes().end());
  for (std::string& name : names) name.resize(std::min(name.size(), name.find('.')));
  // Keys of handlers that execute part of an instruction.
  static const std::set<std::string> parts = {"clock", "ftz", "heap", "pack", "unpack", "x2"};
  names.erase(std::remove_if(names.begin(), names.end(),
                             [](const std::string& name) { return parts.count(name) != 0; }),
              names.end());
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::unique_ptr<DecodedKernel> decode_kernel(const Module& module, const Function& kernel) {
  return Decoder(module, kernel).run();
}

}  // namespace strata::traces::ptx
