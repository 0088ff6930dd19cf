#include "traces/ptx/decode.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <unordered_map>

#include "models/common/faults.h"
#include "traces/ptx/handlers.h"

namespace strata::traces::ptx {
namespace {

constexpr std::size_t most_operations = 4000000;

char letter(const Type& type) {
  if (type.kind == 'p') return 'p';
  return type.bits <= 16 ? 'h' : type.bits == 32 ? 'w' : 'l';
}
std::uint32_t row_bytes(char kind) {
  return kind == 'l' ? 256 : kind == 'w' ? 128 : 64;
}

class Decoder {
 public:
  Decoder(const Module& module, const Function& kernel) : module_(module), kernel_function_(kernel) {
    out_ = std::make_unique<DecodedKernel>();
    out_->module = &module;
    out_->function = &kernel;
  }

  std::unique_ptr<DecodedKernel> run() {
    for (int axis = 0; axis < 3; ++axis) tid_[axis] = new_register('w');
    warp_id_ = new_register('w');
    for (const std::uint32_t p : kernel_function_.parameters) {
      const Variable& v = kernel_function_.variables[p];
      out_->parameter_bytes = (out_->parameter_bytes + v.align - 1) / v.align * v.align;
      out_->parameter_offsets.push_back(out_->parameter_bytes);
      out_->parameter_bytes += static_cast<std::uint32_t>(v.bytes);
      if (out_->parameter_bytes > 32764) fail_line(v.line, "expected at most 32764 B of parameters");
    }
    for (const Variable& v : module_.variables)
      if (v.space == Space::shared && v.bytes != 0) shared_offset(v);
    Frame frame;
    frame.function = &kernel_function_;
    function(frame);
    Flow end = simple(do_exit);
    end.op.op_class = OpClass::exit;
    end.ends_block = true;
    end.falls_through = false;
    end.op.pc = static_cast<std::uint32_t>(out_->code.size() - (out_->code.empty() ? 0 : 1));
    flow_.push_back(end);
    out_->shared_bytes = shared_bytes_;
    out_->local_bytes = (local_bytes_ + 15) / 16 * 16;
    out_->register_bytes = register_bytes_;
    if (out_->code.empty()) out_->code.push_back(&empty_);
    return finish();
  }

 private:
  struct Frame {
    const Function* function = nullptr;
    std::map<std::uint32_t, std::uint32_t> parameter_at;       ///< variable -> local offset
    std::vector<std::uint32_t> starts;                         ///< instruction -> position in flow_
    std::uint32_t registers = 0;                               ///< id of the first
    std::vector<std::pair<std::size_t, std::uint32_t>> jumps;  ///< flow position, instruction to go to
  };

#define FAIL_PREFIX ("kernel " + kernel_function_.name + ": ")
  [[noreturn]] void fail_line(int line, const std::string& message) const {
    throw TraceError(Fault{{module_.path, line, 0}, FAIL_PREFIX + message});
  }
  [[noreturn]] void fail(const std::string& message) const {
    fail_line(instruction_->line, instruction_->spelling() + ": " + message);
  }

  std::unique_ptr<DecodedKernel> finish() {
    std::vector<std::uint8_t> words;
    for (const char kind : kinds_) words.push_back(kind == 'l' ? 2 : kind == 'p' ? 0 : 1);
    lay_out(*out_, flow_, words, 0, out_->ops);
    out_->flow = std::move(flow_);
    out_->words = std::move(words);
    return std::move(out_);
  }

  // --- registers and constants ---
  std::uint32_t new_register(char kind) {
    kinds_.push_back(kind);
    offsets_.push_back(register_bytes_);
    register_bytes_ += row_bytes(kind);
    if (register_bytes_ > (1u << 28)) fail_line(kernel_function_.line, "too many registers");
    return static_cast<std::uint32_t>(kinds_.size() - 1);
  }
  Row constant(char kind, std::uint64_t value) {
    if (kind == 'p') value = value != 0 ? all_lanes : 0;
    const auto key = std::make_pair(kind, value);
    const auto found = constants_.find(key);
    if (found != constants_.end()) return found->second;
    const Row row = new_constant(kind);
    const std::size_t at = row & ~Row{1};
    const std::size_t size = kind == 'l' ? 8 : kind == 'h' ? 2 : 4;
    for (std::size_t i = 0; i < 32 * size && i < row_bytes(kind); i += size)
      std::memcpy(&out_->constants[at + i], &value, size);
    constants_[key] = row;
    return row;
  }
  Row new_constant(char kind) {
    const auto at = static_cast<Row>(out_->constants.size());
    out_->constants.resize(at + row_bytes(kind));
    return at | 1;
  }
  Row patched(char kind, Patch patch) {
    const auto key = std::make_tuple(kind, static_cast<int>(patch.kind), patch.value, patch.index);
    const auto found = patches_.find(key);
    if (found != patches_.end()) return found->second;
    const Row row = new_constant(kind);
    patch.offset = row & ~Row{1};
    patch.bytes = kind == 'l' ? 8 : kind == 'h' ? 2 : 4;
    out_->patches.push_back(patch);
    return patches_[key] = row;
  }
  Row lanes(char kind, std::uint32_t (*value)(std::uint32_t)) {
    const Row row = new_constant(kind);
    for (std::uint32_t i = 0; i < 32; ++i) {
      const std::uint64_t v = value(i);
      std::memcpy(&out_->constants[(row & ~Row{1}) + i * (kind == 'l' ? 8 : 4)], &v, kind == 'l' ? 8 : 4);
    }
    return row;
  }

  // --- memory layout ---
  std::uint32_t place(std::uint32_t& top, const Variable& v, std::uint64_t most, const char* what) {
    const std::uint64_t align = std::max<std::uint32_t>(v.align, 1);
    const std::uint64_t at = (top + align - 1) / align * align;
    if (at + v.bytes > most) fail_line(v.line, std::string("too much ") + what + " memory");
    top = static_cast<std::uint32_t>(at + v.bytes);
    return static_cast<std::uint32_t>(at);
  }
  std::uint32_t shared_offset(const Variable& v) {
    if (v.bytes == 0) fail_line(v.line, "dynamic shared memory stands here without its place");
    const auto found = places_.find(&v);
    if (found != places_.end()) return found->second;
    return places_[&v] = place(shared_bytes_, v, 256 * 1024, "shared");
  }
  std::uint32_t local_offset(const Variable& v) {
    const auto found = places_.find(&v);
    if (found != places_.end()) return found->second;
    return places_[&v] = place(local_bytes_, v, 512 * 1024, "local");
  }
  /// Constant row that holds the address of a variable (plus an offset) in its own space.
  Row address_of(const Operand& o, char kind, std::int64_t extra = 0) {
    const Variable& v = variable(o);
    const std::uint64_t offset = o.bits + static_cast<std::uint64_t>(extra);
    switch (v.space) {
      case Space::shared:
        if (v.bytes == 0) return patched(kind, {Patch::Kind::special, 0, 4, offset, 100});
        return constant(kind, shared_offset(v) + offset);
      case Space::local:
        return constant(kind, local_offset(v) + offset);
      case Space::param: {
        std::uint32_t at = 0;
        if (kernel_parameter(o, at)) return constant(kind, at + offset);
        return constant(kind, parameter_place(o) + offset);
      }
      default: {
        if (!o.of_module) fail("variables of functions in this state space are not supported");
        return patched(kind, {Patch::Kind::symbol, 0, 8, offset, o.index});
      }
    }
  }
  const Variable& variable(const Operand& o) const {
    return o.of_module ? module_.variables[o.index] : frame_->function->variables[o.index];
  }
  bool kernel_parameter(const Operand& o, std::uint32_t& offset) const {
    if (o.of_module || frame_->function != &kernel_function_) return false;
    for (std::size_t p = 0; p < kernel_function_.parameters.size(); ++p)
      if (kernel_function_.parameters[p] == o.index) {
        offset = out_->parameter_offsets[p];
        return true;
      }
    return false;
  }
  std::uint32_t parameter_place(const Operand& o) {
    const auto found = frame_->parameter_at.find(o.index);
    return found != frame_->parameter_at.end() ? found->second : local_offset(variable(o));
  }

  // --- operands ---
  static std::string kind_name(char kind) {
    return kind == 'p' ? "a predicate" : kind == 'h' ? "16 bits" : kind == 'w' ? "32 bits" : "64 bits";
  }
  std::uint32_t id(const Operand& o) const {
    return frame_->registers + o.index;
  }
  Row source(Flow& f, const Operand& o, char kind, bool integer_of_float = false) {
    switch (o.kind) {
      case Operand::Kind::reg: {
        const std::uint32_t r = id(o);
        if (kinds_[r] != kind)
          fail("operand " + o.name + " has " + kind_name(kinds_[r]) + ", expected " + kind_name(kind));
        f.reads.push_back(r);
        return offsets_[r];
      }
      case Operand::Kind::integer:
        (void)integer_of_float;
        return constant(kind, o.bits);
      case Operand::Kind::real:
        return constant(kind, real(o, kind));
      case Operand::Kind::special:
        return special(f, o.name, kind);
      case Operand::Kind::variable:
        if (kind != 'w' && kind != 'l') fail("an address needs 32 or 64 bits");
        return address_of(o, kind);
      default:
        fail("expected a register or a number as operand");
    }
  }
  std::uint64_t real(const Operand& o, char kind) const {
    if (kind == 'h') fail("a 16-bit operand is written in hexadecimal");
    if (o.single == (kind == 'w')) return o.bits;
    std::uint64_t bits = 0;
    if (o.single) {
      float narrow;
      std::memcpy(&narrow, &o.bits, 4);
      const double wide = narrow;
      std::memcpy(&bits, &wide, 8);
    } else {
      double wide;
      std::memcpy(&wide, &o.bits, 8);
      const auto narrow = static_cast<float>(wide);
      std::memcpy(&bits, &narrow, 4);
    }
    return bits;
  }
  Row destination(Flow& f, const Operand& o, char kind) {
    if (o.kind == Operand::Kind::sink) return scratch(f, kind);
    if (o.kind != Operand::Kind::reg) fail("expected a register as destination");
    const std::uint32_t r = id(o);
    if (kinds_[r] != kind)
      fail("destination " + o.name + " has " + kind_name(kinds_[r]) + ", expected " + kind_name(kind));
    f.writes.push_back(r);
    return offsets_[r];
  }
  Row scratch(Flow&, char kind) {
    return offsets_[new_register(kind)];
  }
  char kind_of(const Operand& o) const {
    if (o.kind != Operand::Kind::reg) return 0;
    return kinds_[id(o)];
  }
  Row special(Flow&, const std::string& name, char kind) {
    const auto axis = [&](const char* base) {
      const std::size_t n = std::strlen(base);
      if (name.compare(0, n, base) != 0 || name.size() != n + 2 || name[n] != '.') return -1;
      return name[n + 1] >= 'x' && name[n + 1] <= 'z' ? name[n + 1] - 'x' : -1;
    };
    if (const int a = axis("%tid"); a >= 0 && kind == 'w') return offsets_[tid_[a]];
    if (const int a = axis("%ntid"); a >= 0)
      return patched(kind, {Patch::Kind::ntid, 0, 4, static_cast<std::uint64_t>(a), 0});
    if (const int a = axis("%ctaid"); a >= 0)
      return patched(kind, {Patch::Kind::ctaid, 0, 4, static_cast<std::uint64_t>(a), 0});
    if (const int a = axis("%nctaid"); a >= 0)
      return patched(kind, {Patch::Kind::nctaid, 0, 4, static_cast<std::uint64_t>(a), 0});
    if (name == "%warpid" && kind == 'w') return offsets_[warp_id_];
    if (name == "%laneid") return lanes(kind, [](std::uint32_t i) { return i; });
    if (name == "%lanemask_eq") return lanes(kind, [](std::uint32_t i) { return 1u << i; });
    if (name == "%lanemask_lt") return lanes(kind, [](std::uint32_t i) { return (1u << i) - 1; });
    if (name == "%lanemask_le") return lanes(kind, [](std::uint32_t i) { return (2u << i) - 1; });
    if (name == "%lanemask_gt") return lanes(kind, [](std::uint32_t i) { return ~((2u << i) - 1); });
    if (name == "%lanemask_ge") return lanes(kind, [](std::uint32_t i) { return ~((1u << i) - 1); });
    static const std::vector<std::string> others = {
        "%nwarpid", "%dynamic_smem_size", "%total_smem_size", "%gridid", "%smid", "%nsmid"};
    for (std::size_t n = 0; n < others.size(); ++n)
      if (name == others[n])
        return patched(kind, {Patch::Kind::special, 0, 4, 0, static_cast<std::uint32_t>(n)});
    std::vector<std::string> names = others;
    for (const char* more :
         {"%tid.x", "%tid.y", "%tid.z", "%ntid.x", "%ntid.y", "%ntid.z", "%ctaid.x", "%ctaid.y", "%ctaid.z",
          "%nctaid.x", "%nctaid.y", "%nctaid.z", "%laneid", "%warpid", "%clock", "%clock64", "%lanemask_lt"})
      names.emplace_back(more);
    fail("'" + name + "' is no register that is declared, nor a special register of this size" +
         suggestion(name, names));
  }
  const Row* list(std::vector<Row> rows) {
    out_->lists.push_back(std::move(rows));
    return out_->lists.back().data();
  }

  // --- operations ---
  Flow simple(Handler fn) const {
    Flow f;
    f.op.fn = fn;
    f.op.pc = static_cast<std::uint32_t>(out_->code.empty() ? 0 : out_->code.size() - 1);
    return f;
  }
  /// A handler by key, its operands by signature.
  void by_key(const std::string& key, const std::vector<Operand>& operands, std::uint8_t weight = 1,
              std::uint8_t code = 0) {
    const HandlerEntry* entry = find_handler(key);
    if (entry == nullptr) unsupported(key);
    Flow f = simple(entry->handler);
    f.op.weight = weight;
    f.op.code = code;
    const char* sources = std::strchr(entry->signature, '=') + 1;
    const std::size_t wanted = std::strlen(sources) + 1;
    const bool predicate = entry->signature[0] == 'p';
    if (operands.size() < wanted || operands.size() > wanted + (predicate ? 1 : 0))
      fail("expected " + std::to_string(wanted) + " operands, found " + std::to_string(operands.size()));
    Row* const into[] = {&f.op.a, &f.op.b, &f.op.c, &f.op.d2};
    const std::uint8_t negations[] = {negate_a, negate_b, negate_c, 0};
    for (std::size_t n = 0; sources[n] != 0; ++n) {
      *into[n] = source(f, operands[n + 1], sources[n]);
      if (operands[n + 1].negated) f.op.flags |= negations[n];
    }
    f.op.d = destination(f, operands[0], entry->signature[0]);
    if (predicate && !operands[0].elements.empty()) f.op.d2 = destination(f, operands[0].elements[0], 'p');
    if (predicate && operands.size() > wanted) {
      f.op.c = source(f, operands[wanted], 'p');
      if (operands[wanted].negated) f.op.flags |= negate_c;
    }
    push(std::move(f));
  }
  [[noreturn]] void unsupported(const std::string& key) const {
    std::vector<std::string> keys = handler_keys();
    keys.insert(keys.end(), opcodes_.begin(), opcodes_.end());
    const std::string& opcode = instruction_->opcode;
    std::set<std::string> bases;
    for (const std::string& k : keys) bases.insert(k.substr(0, k.find('.')));
    const bool known = bases.count(opcode) != 0;
    fail_line(instruction_->line,
              "unsupported instruction '" + instruction_->spelling() + "'" +
                  (known ? suggestion(key, keys) : suggestion(opcode, {bases.begin(), bases.end()})));
  }
  void push(Flow f) {
    if (flow_.size() > most_operations) fail("the kernel is too large with its functions inlined");
    if (instruction_->guard >= 0 && f.op.guard == no_row) {
      const std::uint32_t r = frame_->registers + static_cast<std::uint32_t>(instruction_->guard);
      if (kinds_[r] != 'p') fail("the guard is not a predicate");
      f.op.guard = offsets_[r];
      if (instruction_->guard_negated) f.op.flags |= negate_guard;
      f.reads.push_back(r);
      f.conditional = true;
    }
    flow_.push_back(std::move(f));
  }
  void emit(OpClass op_class) {
    Flow f = simple(do_emit);
    f.op.op_class = op_class;
    f.op.weight = 0;
    f.op.guard = 0;  // issued whatever the guard says
    flow_.push_back(f);
    flow_.back().op.guard = no_row;
  }

  void function(Frame& frame) {
    if (std::find(calls_.begin(), calls_.end(), frame.function) != calls_.end())
      fail("recursive calls are not supported: " + frame.function->name + " calls itself");
    calls_.push_back(frame.function);
    const auto known = frames_.find(frame.function);
    if (known == frames_.end()) {
      frame.registers = static_cast<std::uint32_t>(kinds_.size());
      for (const Register& r : frame.function->registers) {
        if (r.type.bits == 128) fail_line(frame.function->line, "128-bit registers are not supported");
        new_register(letter(r.type));
      }
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

  void instruction() {
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
    if (op == "trap" || op == "brkpt") {
      Flow f = simple(do_trap);
      f.barrier = true;
      return push(f);
    }
    if (op == "shfl" || op == "vote" || op == "match" || op == "redux" || op == "activemask" || op == "elect")
      return warp_wide();
    if (op == "setp" || op == "set") return set_predicate();
    arithmetic();
  }

  Type last_type() const {
    Type type;
    for (std::size_t n = instruction_->suffix.size(); n-- > 0;)
      if (parse_type(instruction_->suffix[n], type)) return type;
    fail("expected a type");
  }
  const Operand& operand(std::size_t n) const {
    if (n >= instruction_->operands.size()) fail("expected at least " + std::to_string(n + 1) + " operands");
    return instruction_->operands[n];
  }
  static std::string number(const Type& t, char kind) {
    return std::string(1, kind) + std::to_string(t.bits);
  }
  static std::string as_written(const Type& t) {
    const std::string name = t.kind == 'h' ? "bf" : std::string(1, t.kind);
    return name + (t.pair ? "16x2" : std::to_string(t.bits));
  }

  void arithmetic() {
    static const std::set<std::string> bits = {"and",  "or",  "xor",  "not", "cnot", "shl", "selp",
                                               "popc", "clz", "brev", "bfi", "prmt", "shf", "lop3"};
    static const std::set<std::string> dropped = {"rn", "approx", "full", "uni"};
    static const std::set<std::string> special = {"rcp", "sqrt", "rsqrt", "ex2", "lg2", "sin", "cos", "tanh"};
    std::string op = instruction_->opcode;
    std::vector<Operand> operands = instruction_->operands;
    if (op == "lop3" && instruction_->operands.size() >= 5) return lop3();
    const Type t = last_type();
    const bool floating = t.kind == 'f' || t.kind == 'h';
    if (t.kind == 'p') return predicate_logic();
    if (op == "mad" && floating) op = "fma";
    std::string key = op;
    const auto& suffix = instruction_->suffix;
    const bool directed = instruction_->has("rz") || instruction_->has("rm") || instruction_->has("rp");
    for (std::size_t n = 0; n + 1 < suffix.size(); ++n) {
      if (dropped.count(suffix[n]) != 0) continue;
      if (op == "dp4a" && n == 0) continue;
      if (suffix[n] == "ftz" && (directed || (t.kind == 'f' && t.bits == 64))) continue;
      key += "." + suffix[n];
    }
    if (op == "mul" && !floating && suffix.size() == 1) key += ".lo";
    if (op == "dp4a")
      key = "dp4a." + suffix[0] + "." + suffix[1];
    else if (bits.count(op) != 0 && !t.pair)
      key += "." + number(t, 'b');
    else if (floating)
      key += "." + as_written(t);
    else if (op == "shr" && t.kind == 'b')
      key += "." + number(t, 'u');
    else if ((op == "add" || op == "sub") && key.find(".sat") == std::string::npos &&
             key.find(".cc") == std::string::npos)
      key += "." + number(t, 'u');
    else if ((op == "mul" || op == "mad") && key.find(".lo") != std::string::npos &&
             key.find(".cc") == std::string::npos)
      key += "." + number(t, 'u');
    else if (op == "neg" || op == "abs")
      key += "." + number(t, 's');
    else
      key += "." + as_written(t);
    if (op == "addc" || op == "subc" || op == "madc" || key.find(".cc") != std::string::npos)
      return carry(key, operands);
    if (special.count(op) != 0 && t.bits != 64) {
      emit(OpClass::sfu);
      by_key(key, operands, 0, directed && instruction_->has("ftz") ? 1 : 0);
      flow_[flow_.size() - 2].reads = flow_.back().reads;  // the record waits for the operands
      return;
    }
    // The machine divides and takes remainders in short programs of its own.
    const bool divides = op == "div" || op == "rem" || ((op == "sqrt" || op == "rcp") && t.bits == 64);
    by_key(key, operands, divides ? 8 : 1, directed && instruction_->has("ftz") && t.bits == 32 ? 1 : 0);
  }
  void carry(const std::string& key, const std::vector<Operand>& operands) {
    const HandlerEntry* entry = find_handler(key);
    if (entry == nullptr) unsupported(key);
    if (carry_register_ == 0) carry_register_ = new_register('p');
    by_key(key, operands);
    Flow& f = flow_.back();
    f.op.d2 = offsets_[carry_register_];
    f.reads.push_back(carry_register_);
    f.writes.push_back(carry_register_);
  }
  std::uint32_t carry_register_ = 0;
  void lop3() {
    std::vector<Operand> operands(instruction_->operands.begin(), instruction_->operands.begin() + 4);
    const Operand& table = operand(4);
    if (table.kind != Operand::Kind::integer || table.bits > 255) fail("expected a table from 0 to 255");
    by_key("lop3.b32", operands);
    flow_.back().op.offset = static_cast<std::int64_t>(table.bits);
  }
  void predicate_logic() {
    by_key(instruction_->opcode + ".pred", instruction_->operands, instruction_->opcode == "mov" ? 0 : 1);
  }
  void set_predicate() {
    static const std::map<std::string, std::string> unsigned_names = {
        {"lo", "lt"}, {"ls", "le"}, {"hi", "gt"}, {"hs", "ge"}};
    const auto& suffix = instruction_->suffix;
    if (suffix.size() < 2) fail("expected a comparison and a type");
    Type t = last_type();
    if (t.kind == 'b') t.kind = 'u';
    std::string compare = suffix[0];
    const auto renamed = unsigned_names.find(compare);
    if (renamed != unsigned_names.end() && t.kind != 'f' && t.kind != 'h') compare = renamed->second;
    std::uint8_t code = 0;
    if (instruction_->has("and")) code = 1;
    if (instruction_->has("or")) code = 2;
    if (instruction_->has("xor")) code = 3;
    if (instruction_->opcode == "set") {
      if (code != 0) fail("set with a boolean operation is not supported");
      Type result;
      if (suffix.size() >= 3 && parse_type(suffix[suffix.size() - 2], result) && result.kind == 'f') code = 1;
      return by_key("set." + compare + "." + as_written(t), instruction_->operands, 1, code);
    }
    if ((code != 0) != (instruction_->operands.size() == 4))
      fail("expected a third operand with .and, .or and .xor only");
    by_key("setp." + compare + "." + as_written(t), instruction_->operands, 1, code);
    if (instruction_->has("ftz") && t.kind == 'f' && t.bits == 32 && !t.pair) flow_.back().op.offset = 1;
  }

  // --- control ---
  void branch() {
    const Operand& to = operand(0);
    if (to.kind != Operand::Kind::label) fail("expected a label");
    Flow f = simple(instruction_->guard >= 0 ? do_branch : do_jump);
    f.ends_block = true;
    f.falls_through = instruction_->guard >= 0;
    frame_->jumps.emplace_back(flow_.size(), to.index);
    push(f);
  }
  void indirect() {
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
  void leave(bool exits) {
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
  void call() {
    if (instruction_->guard >= 0) fail("call with a guard is not supported");
    const std::string& name = operand(0).name;
    const Function* callee = module_.find_function(name);
    if (callee == nullptr || !callee->has_body) {
      std::vector<std::string> names;
      for (const Function& f : module_.functions)
        if (f.has_body) names.push_back(f.name);
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
  void barrier() {
    const auto& s = instruction_->suffix;
    const bool arrive = instruction_->has("arrive");
    const bool reduce = instruction_->has("red");
    if (instruction_->has("cluster") || arrive) unsupported(instruction_->spelling());
    if (!reduce && !instruction_->has("sync") &&
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
    if (reduce) {
      f.op.c = source(f, operand(next), 'p');
      if (operand(next).negated) f.op.flags |= negate_c;
    }
    push(f);
  }
  void other(bool barrier) {
    emit(OpClass::other);
    flow_.back().barrier = barrier;
  }
  void warp_wide() {
    std::string key = instruction_->opcode;
    for (const std::string& s : instruction_->suffix) key += "." + s;
    const HandlerEntry* entry = find_handler(key);
    if (entry == nullptr) unsupported(key);
    if (instruction_->opcode == "shfl") {
      if (instruction_->operands.size() != 5) fail("expected 5 operands");
      emit(OpClass::sfu);
      Flow f = simple(entry->handler);
      f.op.weight = 0;
      f.op.a = source(f, operand(1), 'w');
      f.op.b = source(f, operand(2), 'w');
      f.op.c = source(f, operand(3), 'w');
      f.op.guard = no_row;
      f.op.d = destination(f, operand(0), 'w');
      if (!operand(0).elements.empty()) f.op.d2 = destination(f, operand(0).elements[0], 'p');
      push(f);
      flow_[flow_.size() - 2].reads = flow_.back().reads;
      return;
    }
    Flow f = simple(entry->handler);
    const char* signature = entry->signature;
    f.op.d = destination(f, operand(0), signature[0]);
    if (!operand(0).elements.empty()) f.op.d2 = destination(f, operand(0).elements[0], 'p');
    if (signature[2] != 0) {
      f.op.a = source(f, operand(1), signature[2]);
      if (operand(1).negated) f.op.flags |= negate_a;
    }
    push(f);
  }

  // --- moves and conversions ---
  void move() {
    const Type t = last_type();
    if (t.kind == 'p') return predicate_logic();
    const Operand &d = operand(0), &s = operand(1);
    if (d.kind == Operand::Kind::vector || s.kind == Operand::Kind::vector) return pack(d, s);
    if (s.kind == Operand::Kind::special &&
        (s.name.compare(0, 6, "%clock") == 0 || s.name == "%globaltimer")) {
      Flow f = simple(find_handler(t.bits == 64 ? "clock.l" : "clock.w")->handler);
      f.op.d = destination(f, d, letter(t));
      f.barrier = true;
      return push(f);
    }
    if (s.kind == Operand::Kind::function) fail("addresses of functions are not supported");
    by_key("mov." + number(t, 'b'), instruction_->operands, 0);
  }
  void pack(const Operand& d, const Operand& s) {
    const bool unpack = d.kind == Operand::Kind::vector;
    const Operand& vector = unpack ? d : s;
    const Type t = last_type();
    const std::size_t n = vector.elements.size();
    const unsigned bits = n == 0 ? 0 : t.bits / static_cast<unsigned>(n);
    if (n == 0 || t.bits % n != 0 || (bits != 16 && bits != 32)) fail("this split is not supported");
    const char kind = bits == 16 ? 'h' : 'w';
    Flow f = simple(find_handler(std::string(unpack ? "unpack." : "pack.") + letter(t) + kind)->handler);
    f.op.weight = 0;
    f.op.count = static_cast<std::uint8_t>(n);
    std::vector<Row> rows;
    if (!unpack)
      for (const Operand& e : vector.elements) rows.push_back(source(f, e, kind));
    else
      f.op.a = source(f, s, letter(t));
    if (unpack)
      for (const Operand& e : vector.elements) rows.push_back(destination(f, e, kind));
    else
      f.op.d = destination(f, d, letter(t));
    f.op.rows = list(rows);
    push(f);
  }
  void convert() {
    const auto& suffix = instruction_->suffix;
    Type to, from;
    if (suffix.size() < 2 || !parse_type(suffix[suffix.size() - 1], from) ||
        !parse_type(suffix[suffix.size() - 2], to))
      unsupported(instruction_->spelling());
    const bool saturate = instruction_->has("sat");
    std::uint8_t code = instruction_->has("ftz") ? 16 : 0;
    const char* const rounding[] = {"rni", "rzi", "rmi", "rpi"};
    bool integral = false;
    for (std::uint8_t n = 0; n < 4; ++n)
      if (instruction_->has(rounding[n])) {
        code |= n;
        integral = true;
      }
    const auto real = [](const Type& t) { return t.kind == 'f' || t.kind == 'h'; };
    std::vector<Operand> operands = instruction_->operands;
    if (operands.size() < 2) fail("expected 2 operands");
    if ((to.bits == 16 || to.pair) && real(to)) return half_convert(to, from);
    if (from.bits == 16 && real(from)) return half_convert(to, from);
    const char source_kind = operands[1].kind == Operand::Kind::reg ? kind_of(operands[1]) : letter(from);
    const char target_kind = kind_of(operands[0]) != 0 ? kind_of(operands[0]) : letter(to);
    const std::string mode = instruction_->has("rz")   ? "rz"
                             : instruction_->has("rm") ? "rm"
                             : instruction_->has("rp") ? "rp"
                                                       : "";
    if (real(to) && real(from)) {
      if (integral)
        return by_key("cvt.ri." + as_written(to), operands, 1,
                      static_cast<std::uint8_t>(code | (saturate ? 8 : 0)));
      if (to.bits == from.bits)
        return by_key(saturate    ? "cvt.sat." + as_written(to) + "." + as_written(to)
                      : code != 0 ? "ftz.f32"
                                  : "mov.b" + std::to_string(to.bits),
                      operands);
      return by_key("cvt." + (mode.empty() || to.bits == 64 ? "" : mode + ".") + as_written(to) + "." +
                        as_written(from),
                    operands);
    }
    if (real(from))
      return by_key("cvt.i." + as_written(to) + "." + as_written(from) + "." + target_kind, operands, 1,
                    code);
    if (real(to)) {
      if (source_kind != letter(from)) narrow_source(operands, from);
      return by_key("cvt." + (mode.empty() ? "" : mode + ".") + as_written(to) + "." + as_written(from),
                    operands);
    }
    if (saturate) {
      if (source_kind != letter(from)) narrow_source(operands, from);
      return by_key("cvt.sat." + as_written(to) + "." + as_written(from) + "." + target_kind, operands);
    }
    // The narrower of both types decides the bits; of a widening the source's sign.
    if (from.kind == 'b') from.kind = 'u';
    if (to.kind == 'b') to.kind = 'u';
    if (operands[1].kind != Operand::Kind::reg)
      operands[1].bits &= from.bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << from.bits) - 1;
    const Type& decides = to.bits < from.bits ? to : from;
    // %rs of a wider %r: what stands above the source's width is cut off first, then extended.
    by_key("cvt." + as_written(decides) + "." + target_kind + source_kind, operands,
           to.bits == from.bits ? 0 : 1);
  }
  /// A wider register as source: its low bits first go to a register of the type's size.
  void narrow_source(std::vector<Operand>& operands, const Type& from) {
    const char wide = kind_of(operands[1]);
    Flow f = simple(find_handler("cvt." + number(from, 'u') + "." + letter(from) + wide)->handler);
    const std::uint32_t r = new_register(letter(from));
    f.op.weight = 0;
    f.op.a = source(f, operands[1], wide);
    f.op.d = offsets_[r];
    f.writes.push_back(r);
    push(f);
    operands[1].index = r - frame_->registers;
  }
  void half_convert(const Type& to, const Type& from) {
    std::string key = "cvt";
    for (const std::string& s : instruction_->suffix)
      if (s != "rn" && s != "ftz") key += "." + s;
    (void)to;
    std::vector<Operand> operands = instruction_->operands;
    if (operands[1].kind == Operand::Kind::reg && kind_of(operands[1]) != letter(from))
      narrow_source(operands, from);
    by_key(key, operands);
  }
  void convert_address() {
    const auto& suffix = instruction_->suffix;
    const bool to = instruction_->has("to");
    std::uint64_t window = 0;
    for (const std::string& s : suffix) {
      if (s == "shared" || s == "shared::cta") window = shared_window;
      if (s == "local") window = local_window;
      if (s == "param") window = param_window;
    }
    const Type t = last_type();
    if (t.bits != 64) fail("32-bit addresses are not supported");
    std::vector<Operand> operands = instruction_->operands;
    if (operands.size() != 2) fail("expected 2 operands");
    if (window == 0) return by_key("mov.b64", operands, 0);
    Operand offset;
    offset.kind = Operand::Kind::integer;
    offset.bits = window;
    operands.push_back(offset);
    by_key(to ? "sub.u64" : "add.u64", operands, 0);
  }

  // --- memory ---
  Space space_of(bool& bypasses) const {
    Space space = Space::generic;
    for (const std::string& s : instruction_->suffix) {
      if (s == "global") space = Space::global;
      if (s == "shared" || s == "shared::cta") space = Space::shared;
      if (s == "local") space = Space::local;
      if (s == "const") space = Space::constant;
      if (s == "param" || s == "param::entry" || s == "param::func") space = Space::param;
      if (s == "shared::cluster") fail("memory of other thread blocks is not supported");
      if (s == "volatile" || s == "relaxed" || s == "acquire" || s == "release" || s == "cg" || s == "cv")
        bypasses = true;
    }
    return space;
  }
  void address(Flow& f, const Operand& o) {
    if (!o.address) fail("expected an address in brackets");
    if (o.kind == Operand::Kind::variable) {
      f.op.a = address_of(o, 'l');
      f.op.address_bytes = 8;
    } else if (o.kind == Operand::Kind::reg) {
      const char kind = kind_of(o);
      if (kind != 'w' && kind != 'l') fail("an address needs 32 or 64 bits");
      f.op.a = source(f, o, kind);
      f.op.address_bytes = kind == 'w' ? 4 : 8;
      f.op.offset = static_cast<std::int64_t>(o.bits);
    } else if (o.kind == Operand::Kind::integer) {
      f.op.a = constant('l', o.bits);
    } else {
      fail("expected an address");
    }
  }
  std::uint8_t elements() const {
    return instruction_->has("v2") ? 2 : instruction_->has("v4") ? 4 : instruction_->has("v8") ? 8 : 1;
  }
  void classify(Flow& f, bool bypasses, bool is_store) {
    Op& op = f.op;
    if (op.space == Space::param) {  // arguments and results of calls live in local memory
      const bool register_address = operand(is_store ? 0 : 1).kind == Operand::Kind::reg;
      if (frame_->function != &kernel_function_ || !register_address) op.space = Space::local;
      op.flags |= no_record;
      op.weight = 0;
    }
    if (op.space == Space::constant) op.flags |= no_record;
    op.op_class = is_store ? OpClass::store : OpClass::load;
    if (op.space == Space::shared) op.op_class = is_store ? OpClass::shared_store : OpClass::shared_load;
    if (bypasses) op.flags |= bypass;
    f.memory = is_store ? Flow::Memory::store : Flow::Memory::load;
    if (instruction_->has("volatile") || instruction_->has("acquire") || instruction_->has("release") ||
        instruction_->has("relaxed"))
      f.barrier = true;
  }
  void load() {
    const Type t = last_type();
    bool bypasses = false;
    const Space space = space_of(bypasses);
    const Operand& from = operand(1);
    if (instruction_->operands.size() > 3) fail("expected 2 operands");
    std::uint32_t parameter = 0;
    const std::uint8_t count = elements();
    const Operand& d = operand(0);
    if (space == Space::param && from.kind == Operand::Kind::variable && kernel_parameter(from, parameter))
      return load_parameter(t, parameter + from.bits, variable(from).bytes - from.bits);
    Flow f;
    Type m = t;
    if (m.kind != 's') m.kind = 'u';
    const Operand& first = d.kind == Operand::Kind::vector && !d.elements.empty() ? d.elements[0] : d;
    char kind = letter(t);
    const auto& all = d.kind == Operand::Kind::vector ? d.elements : std::vector<Operand>{d};
    for (const Operand& e : all)
      if (kind_of(e) != 0) kind = kind_of(e);
    (void)first;
    const std::string key = "ld." + number(m, m.kind) + "." + kind;
    const HandlerEntry* entry = find_handler(key);
    if (entry == nullptr) unsupported(key);
    if (all.size() != count) fail("expected " + std::to_string(count) + " destinations");
    f = simple(entry->handler);
    f.op.space = space;
    f.op.count = count;
    f.op.width = static_cast<std::uint8_t>(t.bytes());
    if (count * t.bytes() > 16) fail("expected at most 16 B per lane");
    address(f, from);
    classify(f, bypasses, false);
    if (instruction_->has("nc") || instruction_->has("ro") || instruction_->opcode == "ldu")
      f.op.flags |= non_coherent;
    f.hoistable = (f.op.flags & no_record) == 0;
    std::vector<Row> rows;
    for (const Operand& e : all)
      rows.push_back(e.kind == Operand::Kind::sink ? no_row : destination(f, e, kind));
    f.op.d = rows[0];
    f.op.rows = list(rows);
    if (count == 1 && rows[0] == no_row) f.op.d = scratch(f, kind);
    push(std::move(f));
  }
  void load_parameter(const Type& t, std::uint64_t offset, std::uint64_t left) {
    const Operand& d = operand(0);
    const auto all = d.kind == Operand::Kind::vector ? d.elements : std::vector<Operand>{d};
    if (all.size() != elements() || left > 32764 || all.size() * t.bytes() > left)
      fail("past the end of the parameter");
    for (std::size_t n = 0; n < all.size(); ++n) {
      if (all[n].kind == Operand::Kind::sink) continue;
      const char kind = kind_of(all[n]);
      Type m = t;
      if (m.kind != 's') m.kind = 'u';
      if (find_handler("ld." + number(m, m.kind) + "." + std::string(1, kind == 0 ? '?' : kind)) == nullptr)
        fail("expected a register of the type's size");
      // The row holds the value in the type's own size; a move or a conversion brings it to the register.
      const char own = letter(t);
      Flow f = simple(find_handler("cvt." + number(m, m.kind) + "." + kind + own)->handler);
      f.op.a = patched(own, {Patch::Kind::parameter, 0, 4, offset + n * t.bytes(), t.bytes()});
      f.op.d = destination(f, all[n], kind);
      f.op.weight = 0;
      push(std::move(f));
    }
  }
  void store() {
    const Type t = last_type();
    bool bypasses = false;
    const Operand& v = operand(1);
    const std::uint8_t count = elements();
    const auto all = v.kind == Operand::Kind::vector ? v.elements : std::vector<Operand>{v};
    char kind = letter(t);
    for (const Operand& e : all)
      if (kind_of(e) != 0) kind = kind_of(e);
    const std::string key = "st." + std::to_string(t.bits) + "." + kind;
    const HandlerEntry* entry = find_handler(key);
    if (entry == nullptr) unsupported(key);
    if (all.size() != count) fail("expected " + std::to_string(count) + " values");
    if (count * t.bytes() > 16) fail("expected at most 16 B per lane");
    Flow f = simple(entry->handler);
    f.op.space = space_of(bypasses);
    std::uint32_t parameter = 0;
    if (f.op.space == Space::constant) fail("constant memory cannot be written");
    if (f.op.space == Space::param && operand(0).kind == Operand::Kind::variable &&
        kernel_parameter(operand(0), parameter))
      fail("parameters of the kernel cannot be written");
    if (f.op.space == Space::param) {  // arguments and results of calls live in local memory
      f.op.space = Space::local;
      f.op.flags |= no_record;
      f.op.weight = 0;
    }
    f.op.count = count;
    f.op.width = static_cast<std::uint8_t>(t.bytes());
    address(f, operand(0));
    classify(f, bypasses, true);
    std::vector<Row> rows;
    for (const Operand& e : all) rows.push_back(source(f, e, kind));
    f.op.b = rows[0];
    f.op.rows = list(rows);
    push(std::move(f));
  }
  void atomic() {
    const bool returns = instruction_->opcode == "atom";
    const Type t = last_type();
    bool bypasses = false;
    static const std::vector<std::string> kinds = {"add", "min",  "max", "and", "or",
                                                   "xor", "exch", "cas", "inc", "dec"};
    std::string kind_text;
    for (const std::string& s : instruction_->suffix)
      if (std::find(kinds.begin(), kinds.end(), s) != kinds.end()) kind_text = s;
    std::string type = as_written(t);
    if (t.kind == 'b' || kind_text == "and" || kind_text == "or" || kind_text == "xor" ||
        kind_text == "exch" || kind_text == "cas")
      type = number(t, 'u');
    if (kind_text == "add" && t.kind == 's') type = number(t, 'u');
    const std::string key = "atom." + kind_text + "." + type;
    const HandlerEntry* entry = find_handler(key);
    if (entry == nullptr || elements() != 1 || t.bits == 128) unsupported(key);
    const std::size_t base = returns ? 1 : 0;
    const bool swaps = kind_text == "cas";
    if (instruction_->operands.size() < base + (swaps ? 3 : 2)) fail("too few operands");
    Flow f = simple(entry->handler);
    f.op.space = space_of(bypasses);
    f.op.width = static_cast<std::uint8_t>(t.bytes());
    address(f, operand(base));
    f.op.op_class = f.op.space == Space::shared ? OpClass::shared_store : OpClass::atomic;
    f.op.b = source(f, operand(base + 1), letter(t));
    if (swaps) f.op.c = source(f, operand(base + 2), letter(t));
    f.barrier = true;
    if (returns && operand(0).kind != Operand::Kind::sink) {
      f.op.d = destination(f, operand(0), letter(t));
      f.hoistable = true;
    }
    push(std::move(f));
  }

  static const std::vector<std::string> opcodes_;
  const Module& module_;
  const Function& kernel_function_;
  std::unique_ptr<DecodedKernel> out_;
  std::vector<Flow> flow_;
  std::vector<char> kinds_;
  std::vector<std::uint32_t> offsets_;
  std::uint32_t register_bytes_ = 0, shared_bytes_ = 0, local_bytes_ = 0;
  std::uint32_t tid_[3] = {}, warp_id_ = 0;
  std::map<std::pair<char, std::uint64_t>, Row> constants_;
  std::map<std::tuple<char, int, std::uint64_t, std::uint32_t>, Row> patches_;
  std::map<const Variable*, std::uint32_t> places_;
  std::map<const Function*, std::uint32_t> frames_;
  std::vector<const Function*> calls_;
  Frame* frame_ = nullptr;
  const Instruction* instruction_ = nullptr;
  Instruction empty_;
};

const std::vector<std::string> Decoder::opcodes_ = {
    "ld",   "st",  "atom",    "red",      "mov",      "cvt",  "cvta",      "bra",  "ret",        "exit",
    "call", "bar", "barrier", "membar",   "fence",    "vote", "match",     "shfl", "activemask", "redux",
    "setp", "set", "mad",     "isspacep", "prefetch", "trap", "nanosleep", "brx"};

}  // namespace

std::unique_ptr<DecodedKernel> decode_kernel(const Module& module, const Function& kernel) {
  return Decoder(module, kernel).run();
}

}  // namespace strata::traces::ptx
