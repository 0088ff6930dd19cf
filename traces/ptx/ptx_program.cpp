#include <algorithm>
#include <atomic>
#include <iterator>
#include <map>

#include "models/common/faults.h"
#include "models/common/input_file.h"
#include "models/common/named.h"
#include "traces/ptx/decode/decoded_kernel.h"
#include "traces/ptx/provenance/provenance.h"
#include "traces/ptx/ptx.h"
#include "traces/ptx/text/module.h"

namespace strata::traces {
namespace {

/// The name of a function inside its mangled form (`_Z5saxpyPfi`: saxpy); empty when it is not mangled.
std::string plain_name(const std::string& name) {
  if (name.compare(0, 2, "_Z") != 0) return "";
  std::size_t at = 2, length = 0;
  if (at < name.size() && name[at] == 'N') ++at;
  while (at < name.size() && name[at] >= '0' && name[at] <= '9' && length < 10000)
    length = length * 10 + static_cast<std::size_t>(name[at++] - '0');
  return length == 0 || at + length > name.size() ? "" : name.substr(at, length);
}

/// Estimates the registers of machine code: values live at once and a few for addresses in flight, in steps
/// of 8 (the unit of allocation, CUDA C++ Programming Guide, "Technical Specifications"), 255 at most.
std::uint32_t machine_registers(std::uint32_t pressure) {
  const std::uint32_t rounded = (pressure + 6 + 7) / 8 * 8;
  return rounded < 16 ? 16 : rounded > 255 ? 255 : rounded;
}

bool accesses_memory(const ptx::Instruction& i) {
  static constexpr const char* opcodes[] = {"ld", "ldu", "st",   "atom", "red",
                                            "cp", "tex", "tld4", "suld", "sust"};
  return std::any_of(std::begin(opcodes), std::end(opcodes),
                     [&](const char* one) { return i.opcode == one; });
}

std::shared_ptr<const CodeLines> lines_of(const ptx::Module& module,
                                          const std::vector<const ptx::Instruction*>& code) {
  auto lines = std::make_shared<CodeLines>();
  lines->listing = module.path;
  std::map<int, std::uint32_t> files;  // by number in the PTX
  for (std::size_t at = 0; at < code.size(); ++at) {
    const ptx::Instruction& i = *code[at];
    if (!accesses_memory(i)) continue;
    CodeLines::Place place;
    place.text = i.spelling();
    place.line = static_cast<std::uint32_t>(i.line);
    const auto file = module.files.find(i.source_file);
    if (file != module.files.end()) {
      std::uint32_t& number = files[i.source_file];
      if (number == 0) {
        lines->files.push_back(file->second);
        number = static_cast<std::uint32_t>(lines->files.size());
      }
      place.file = number;
      place.source_line = static_cast<std::uint32_t>(i.source_line);
    }
    lines->places.emplace(static_cast<std::uint32_t>(16 * at), std::move(place));
  }
  return lines;
}

using ReadOnly = PtxOptions::ReadOnly;
constexpr Named<ReadOnly> policies[] = {{ReadOnly::none, "none"},
                                        {ReadOnly::nc, "nc"},
                                        {ReadOnly::analysis, "analysis"},
                                        {ReadOnly::oracle, "oracle"}};
static_assert(names_all(policies, ReadOnly::oracle));
using Memcheck = PtxOptions::Memcheck;
constexpr Named<Memcheck> checks[] = {
    {Memcheck::strict, "strict"}, {Memcheck::report, "report"}, {Memcheck::off, "off"}};
static_assert(names_all(checks, Memcheck::off));

template <class T, std::size_t Count>
T choice(const Named<T> (&choices)[Count], const std::string& what, const std::string& word) {
  if (const auto* found = find_named(choices, word)) return found->value;
  throw ConfigError(what + ": '" + word + "' is no choice; allowed: " + list_of(choices) +
                    suggestion(word, names_of(choices)));
}

}  // namespace

PtxOptions::ReadOnly parse_read_only(const std::string& what, const std::string& word) {
  return choice(policies, what, word);
}
std::string_view to_text(PtxOptions::Memcheck memcheck) {
  return row_of_value(checks, memcheck).name;
}
PtxOptions::Memcheck parse_memcheck(const std::string& what, const std::string& word) {
  return choice(checks, what, word);
}

std::string PtxProgram::read(const std::string& path) {
  try {
    return read_input(path);
  } catch (const InputError& error) {
    throw TraceError(Fault{{path, 0, 0}, std::string("cannot be read: ") + error.what()});
  }
}

std::shared_ptr<const PtxProgram> PtxProgram::load(const std::string& path,
                                                   const std::vector<std::string>& only) {
  return parse(read(path), path, only);
}

std::shared_ptr<PtxProgram> PtxProgram::open(const std::string& text, const std::string& name) {
  static std::atomic<std::uint64_t> programs{0};
  std::shared_ptr<PtxProgram> program(new PtxProgram());
  program->path_ = name;
  program->identity_ = ++programs;
  program->module_ = ptx::parse_module(text, name);
  return program;
}

std::shared_ptr<const PtxProgram> PtxProgram::parse(const std::string& text, const std::string& name,
                                                    const std::vector<std::string>& only) {
  std::shared_ptr<PtxProgram> program = open(text, name);
  for (const ptx::Function& f : program->module_->functions) {
    if (!f.entry || !f.has_body) continue;
    bool wanted = only.empty();
    for (const std::string& o : only) wanted = wanted || names(o, f.name);
    if (!wanted) continue;
    try {
      program->decode(f);
    } catch (const TraceError& fault) {
      if (!only.empty()) throw;
      program->refused_.push_back({f.name, std::make_shared<const TraceError>(fault)});
    }
  }
  if (program->kernels_.empty() && !program->refused_.empty())
    throw TraceError(*program->refused_.front().fault);
  return program;
}

void PtxProgram::decode(const ptx::Function& f) {
  if (module_->decoded.count(f.name) != 0)
    throw TraceError(Fault{{path_, f.line, 0}, "kernel " + f.name + " is defined twice"});
  auto decoded = ptx::decode_kernel(*module_, f);
  ptx::check_marked_loads(*decoded);
  PtxKernel k;
  k.name = f.name;
  k.line = f.line;
  for (std::size_t p = 0; p < f.parameters.size(); ++p) {
    const ptx::Variable& v = f.variables[f.parameters[p]];
    k.parameters.push_back(
        {v.name, decoded->parameter_offsets[p], static_cast<std::uint32_t>(v.bytes), v.align});
  }
  k.static_shared_bytes = decoded->shared_bytes;
  k.local_bytes = decoded->local_bytes;
  k.registers = machine_registers(decoded->pressure);
  k.instructions = static_cast<std::uint32_t>(decoded->code.size());
  k.max_threads = f.max_threads;
  if (f.cluster[0] != 0) k.cluster = Dim3{f.cluster[0], f.cluster[1], f.cluster[2]};
  k.max_cluster = f.max_cluster;
  k.lines = lines_of(*module_, decoded->code);
  kernels_.push_back(k);
  module_->decoded[f.name] = decoded.release();
}

const PtxKernel& PtxProgram::prepare(const std::string& entry) {
  if (module_->decoded.count(entry) == 0) {
    const ptx::Function* const found = module_->find_function(entry);
    if (found != nullptr && found->entry && found->has_body) decode(*found);
  }
  return kernel(entry);
}

PtxProgram::~PtxProgram() = default;

std::vector<std::string> PtxProgram::entries() const {
  std::vector<std::string> all;
  for (const ptx::Function& f : module_->functions)
    if (f.entry && f.has_body) all.push_back(f.name);
  return all;
}

std::vector<PtxVariable> PtxProgram::variables() const {
  std::vector<PtxVariable> all;
  for (const ptx::Variable& v : module_->variables)
    if ((v.space == ptx::Space::global || v.space == ptx::Space::constant) && v.bytes != 0)
      all.push_back({v.name, v.bytes});
  return all;
}

bool PtxProgram::names(const std::string& name, const std::string& entry) {
  return name == entry || (!name.empty() && name == plain_name(entry));
}

const PtxKernel& PtxProgram::kernel(const std::string& name) const {
  const PtxKernel* found = nullptr;
  std::vector<std::string> names;
  int matches = 0;
  for (const PtxKernel& k : kernels_) {
    if (k.name == name) return k;
    const std::string plain = plain_name(k.name);
    names.push_back(plain.empty() ? k.name : plain);
    if (plain == name) {
      found = &k;
      ++matches;
    }
  }
  if (matches == 1) return *found;
  for (const PtxRefusal& refusal : refused_)
    if (matches == 0 && PtxProgram::names(name, refusal.kernel)) throw TraceError(*refusal.fault);
  for (const ptx::Function& f : module_->functions) {  // kernels that were not decoded are suggestions, too
    const std::string plain = plain_name(f.name);
    if (f.entry && f.has_body) names.push_back(plain.empty() ? f.name : plain);
  }
  throw TraceError(Fault{{path_, 0, 0},
                         matches > 1 ? "several kernels are named '" + name + "': use the mangled name"
                                     : "no kernel '" + name + "'" + suggestion(name, names)});
}

}  // namespace strata::traces
