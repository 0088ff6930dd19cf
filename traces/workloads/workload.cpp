// Workloads: loading, launches, verification against the reference, and dumps as plain files for programs
// that run them elsewhere (tb/gpu/ptx_device_check.cu).
#include "traces/workloads/workload.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iterator>
#include <sstream>
#include <utility>
#include <vector>

#include "models/common/faults.h"
#include "models/common/input_file.h"
#include "models/io/draft.h"
#include "models/io/file_guard.h"
#include "models/io/shipped_folders.h"

namespace strata::traces {
namespace {

template <class T>
void put(std::vector<std::uint8_t>& to, T value, std::uint32_t bytes) {
  to.resize(bytes);
  std::memcpy(to.data(), &value, bytes);
}

PtxArgument packed(const WorkloadArgument& argument, std::uint32_t bytes,
                   const std::vector<Address>& addresses);

std::vector<std::uint8_t> structure(const WorkloadArgument& argument, std::uint32_t bytes,
                                    const std::vector<Address>& addresses) {
  std::vector<std::uint8_t> all(bytes, 0);
  for (const WorkloadField& field : argument.fields) {
    const PtxArgument one = packed(field.value, field.bytes, addresses);
    std::copy(one.bytes.begin(), one.bytes.end(), all.begin() + field.at);
  }
  return all;
}

/// The argument in the kernel's parameter block: integers take the parameter's size.
PtxArgument packed(const WorkloadArgument& argument, std::uint32_t bytes,
                   const std::vector<Address>& addresses) {
  PtxArgument result;
  if (argument.kind == WorkloadArgument::Kind::buffer)
    put(result.bytes, addresses[argument.buffer] + static_cast<std::uint64_t>(argument.integer), bytes);
  else if (argument.kind == WorkloadArgument::Kind::integer)
    put(result.bytes, argument.integer, bytes);
  else if (argument.kind == WorkloadArgument::Kind::structure)
    result.bytes = structure(argument, bytes, addresses);
  else if (bytes == 4)
    put(result.bytes, static_cast<float>(argument.real), bytes);
  else
    put(result.bytes, argument.real, bytes);
  return result;
}

std::vector<std::uint8_t> element(ElementType type, double value) {
  std::vector<std::uint8_t> bytes;
  if (type == ElementType::f32)
    put(bytes, static_cast<float>(value), 4);
  else if (type == ElementType::f64)
    put(bytes, value, 8);
  else
    put(bytes, static_cast<std::int64_t>(value), element_bytes(type));
  return bytes;
}

void fill(GlobalMemory& memory, Address to, const WorkloadBuffer& buffer, double value) {
  if (value == 0) return memory.fill(to, 0, buffer.bytes());
  const std::vector<std::uint8_t> one = element(buffer.type, value);
  std::vector<std::uint8_t> all(buffer.bytes());
  for (std::size_t at = 0; at < all.size(); at += one.size())
    std::copy(one.begin(), one.end(), all.begin() + at);
  memory.write(to, all.data(), all.size());
}

}  // namespace

std::shared_ptr<const Workload> Workload::load(const std::string& spec) {
  return std::make_shared<const Workload>(read(spec));
}

WorkloadDefinition Workload::read(const std::string& spec) {
  const std::size_t at = spec.rfind('@');
  const std::string name = spec.substr(0, at);
  std::string scale = at == std::string::npos ? "" : spec.substr(at + 1);
  std::vector<ValueChange> changes;
  const std::size_t colon = scale.find(':');
  if (colon != std::string::npos) {
    std::string rest = scale.substr(colon + 1) + ",";
    scale.resize(colon);
    for (std::size_t comma; (comma = rest.find(',')) != std::string::npos; rest.erase(0, comma + 1)) {
      const std::size_t equals = rest.find('=');
      if (equals == std::string::npos || equals > comma)
        throw ConfigError("workload '" + spec + "': expected KEY=VALUE behind the scale, found '" +
                          rest.substr(0, comma) + "'");
      changes.push_back({rest.substr(0, equals), rest.substr(equals + 1, comma - equals - 1)});
    }
  }
  return read_workload(find_workload(name), scale, changes);
}

Workload::Workload(WorkloadDefinition definition) : definition_(std::move(definition)) {
  if (!definition_.reference.empty()) {
    reference_ = find_reference(definition_.reference);
    if (reference_ == nullptr)
      throw ConfigError(
          Faults{{definition_.reference_where, "no reference '" + definition_.reference + "'" +
                                                   suggestion(definition_.reference, reference_names())}});
  }
  // Only launched kernels are decoded: others in the file may not be interpretable.
  std::vector<std::string> launched = {""};
  for (const WorkloadLaunch& launch : definition_.launches)
    if (launched.back() != launch.kernel) launched.push_back(launch.kernel);
  std::sort(launched.begin(), launched.end());
  launched.erase(std::unique(launched.begin(), launched.end()), launched.end());
  for (std::size_t i = 0; i < definition_.modules.size(); ++i) {
    try {
      programs_.push_back(PtxProgram::load(definition_.modules[i], launched));
    } catch (const ConfigError& error) {
      throw ConfigError(Faults{{definition_.module_where[i], std::string("module: ") + error.what()}});
    }
  }
  check_launches();
}

std::string Workload::name(const WorkloadDefinition& definition) {
  return definition.name + (definition.scale.empty() ? "" : "@" + definition.scale);
}

// All modules are searched for kernels; most workloads have one.
void Workload::check_launches() {
  std::vector<std::string> known;
  for (const auto& program : programs_)
    for (const std::string& kernel : program->entries()) known.push_back(kernel);
  Faults faults;
  for (WorkloadLaunch& launch : definition_.launches) {
    bool found = false;
    for (std::size_t m = 0; m < programs_.size() && !found; ++m)
      for (const PtxKernel& kernel : programs_[m]->kernels())
        if (PtxProgram::names(launch.kernel, kernel.name)) launch.module = m, found = true;
    if (!found) {
      std::string text = "kernel '" + launch.kernel + "' not found" + suggestion(launch.kernel, known);
      if (suggestion(launch.kernel, known).empty()) {
        text += "; there are";
        for (const std::string& name : known) text += (name == known.front() ? " " : ", ") + name;
      }
      faults.push_back({launch.kernel_where, text});
    } else {
      check_launch(launch, faults);
    }
    if (faults.size() > 20) break;  // a loop repeats its faults
  }
  check_symbols(faults);
  if (!faults.empty()) throw ConfigError(faults);
}

/// Checks that buffers in variables of a module fit.
void Workload::check_symbols(Faults& faults) const {
  std::vector<std::string> known;
  for (const WorkloadBuffer& buffer : definition_.buffers) {
    if (buffer.symbol.empty()) continue;
    std::uint64_t bytes = 0;
    for (const auto& program : programs_)
      for (const PtxVariable& variable : program->variables()) {
        known.push_back(variable.name);
        if (PtxProgram::names(buffer.symbol, variable.name)) bytes = variable.bytes;
      }
    if (bytes == 0)
      faults.push_back({buffer.symbol_where, "no variable '" + buffer.symbol + "' in the modules" +
                                                 suggestion(buffer.symbol, known)});
    else if (buffer.bytes() > bytes)
      faults.push_back({buffer.symbol_where, "buffer '" + buffer.name + "' has " +
                                                 std::to_string(buffer.bytes()) + " B, the variable '" +
                                                 buffer.symbol + "' only " + std::to_string(bytes)});
  }
}

/// Address of the variable that holds the buffer.
Address Workload::symbol_address(GlobalMemory& memory, const std::string& symbol) const {
  for (const auto& program : programs_)
    for (const PtxVariable& variable : program->variables())
      if (PtxProgram::names(symbol, variable.name)) {
        memory.add_variables(*program);
        return memory.symbol(variable.name);
      }
  throw ConfigError("no variable '" + symbol + "'");
}

void Workload::check_launch(const WorkloadLaunch& launch, Faults& faults) const {
  const PtxKernel& kernel = programs_[launch.module]->kernel(launch.kernel);
  const std::string who = "kernel " + launch.kernel + ": ";
  if (launch.block.count() > kernel.max_threads)
    faults.push_back({launch.block_where, who + "block of " + std::to_string(launch.block.count()) +
                                              " threads; allowed: 1 to " +
                                              std::to_string(kernel.max_threads)});
  if (launch.arguments.size() != kernel.parameters.size()) {
    faults.push_back({launch.arguments_where, who + std::to_string(launch.arguments.size()) +
                                                  " arguments for " +
                                                  std::to_string(kernel.parameters.size()) + " parameters"});
    return;
  }
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const WorkloadArgument& argument = launch.arguments[i];
    const std::uint32_t bytes = kernel.parameters[i].bytes;
    const std::string which = who + "parameter " + std::to_string(i + 1) + " (" + kernel.parameters[i].name +
                              ", " + std::to_string(bytes) + " B) ";
    if (argument.kind == WorkloadArgument::Kind::structure) {
      if (argument.bytes != bytes)
        faults.push_back({argument.where, which + "holds another structure: the fields take " +
                                              std::to_string(argument.bytes) + " B"});
      continue;
    }
    if (argument.kind == WorkloadArgument::Kind::buffer && bytes != 8)
      faults.push_back({argument.where, which + "is no pointer, but a buffer is given"});
    else if (argument.kind == WorkloadArgument::Kind::real && bytes != 4 && bytes != 8)
      faults.push_back({argument.where, which + "cannot hold a real number"});
    else if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
      faults.push_back(
          {argument.where, which + "is a structure; give its fields, such as [{ptr: a}, {i32: n}]"});
    else if (argument.kind == WorkloadArgument::Kind::integer && bytes < 8 &&
             (argument.integer >> (8 * bytes)) != 0 && (argument.integer >> (8 * bytes - 1)) != -1)
      faults.push_back({argument.where, which + "cannot hold " + std::to_string(argument.integer)});
  }
}

HostData Workload::initial_data() const {
  HostData data(definition_);
  if (reference_ != nullptr && reference_->prepare != nullptr) reference_->prepare(data);
  return data;
}

/// Device addresses of the buffers: the same in every empty memory.
std::vector<Address> Workload::place(GlobalMemory& memory) const {
  std::vector<Address> addresses;
  for (const WorkloadBuffer& buffer : definition_.buffers)
    addresses.push_back(buffer.symbol.empty() ? memory.allocate(buffer.bytes(), buffer.name)
                                              : symbol_address(memory, buffer.symbol));
  return addresses;
}

std::function<void(GlobalMemory&)> Workload::host_actions(const std::vector<WorkloadAction>& actions,
                                                          const std::vector<Address>& addresses) const {
  if (actions.empty()) return {};
  return [this, actions, addresses](GlobalMemory& memory) {
    for (const WorkloadAction& action : actions) {
      const WorkloadBuffer& buffer = definition_.buffers[action.buffer];
      if (action.kind == WorkloadAction::Kind::fill) {
        fill(memory, addresses[action.buffer], buffer, action.value);
      } else {
        std::vector<std::uint8_t> bytes(definition_.buffers[action.from].bytes());
        memory.read(addresses[action.from], bytes.data(), bytes.size());
        memory.write(addresses[action.buffer], bytes.data(), bytes.size());
      }
    }
  };
}

PtxWorkload Workload::make() const {
  PtxWorkload made;
  made.name = name();
  HostData data = initial_data();
  const std::vector<Address> addresses = place(made.memory);
  for (std::size_t i = 0; i < definition_.buffers.size(); ++i) {
    const WorkloadBuffer& buffer = definition_.buffers[i];
    const bool zero = buffer.fill.kind == BufferFill::Kind::value && buffer.fill.first == 0;
    if (zero)
      made.memory.fill(addresses[i], 0, buffer.bytes());  // like cudaMemset: no copy from the host
    else if (buffer.fill.kind != BufferFill::Kind::none)
      made.memory.write(addresses[i], data.bytes(i).data(), buffer.bytes());
    data.bytes(i) = {};
  }
  for (const WorkloadLaunch& launch : definition_.launches) {
    PtxLaunch to;
    to.program = programs_[launch.module];
    to.kernel = launch.kernel;
    to.grid = launch.grid;
    to.block = launch.block;
    to.dynamic_shared_bytes = launch.dynamic_shared_bytes;
    to.cooperative = launch.cooperative;
    const PtxKernel& kernel = to.program->kernel(launch.kernel);
    for (std::size_t i = 0; i < launch.arguments.size(); ++i)
      to.arguments.push_back(packed(launch.arguments[i], kernel.parameters[i].bytes, addresses));
    to.before = host_actions(launch.before, addresses);
    made.launches.push_back(std::move(to));
  }
  made.after = host_actions(definition_.after, addresses);
  return made;
}

std::vector<std::string> Workload::files(const WorkloadDefinition& definition) {
  std::vector<std::string> all = definition.modules;
  all.push_back(definition.file);
  for (const WorkloadBuffer& buffer : definition.buffers)
    if (!buffer.fill.file.empty()) all.push_back(buffer.fill.file);
  for (const WorkloadOutput& output : definition.outputs)
    if (!output.file.empty()) all.push_back(output.file);
  return all;
}

PtxOptions Workload::options_of(const WorkloadDefinition& definition, PtxOptions options) {
  if (!options.read_only) options.read_only = definition.read_only;
  if (!options.max_instructions) options.max_instructions = definition.max_instructions;
  if (!options.max_bytes) options.max_bytes = definition.max_bytes;
  return options;
}

std::unique_ptr<PtxSource> Workload::open(std::shared_ptr<const Workload> workload, PtxOptions options) {
  return std::make_unique<PtxSource>([workload] { return workload->make(); },
                                     options_of(workload->definition(), std::move(options)));
}

namespace {

namespace fs = std::filesystem;

std::string shipped() {
  const std::vector<std::string> folders = shipped_folders("traces/workloads");
  return folders.empty() ? "" : folders.front();
}

}  // namespace

std::vector<std::string> workload_names() {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(shipped(), error), end; !error && at != end; at.increment(error))
    if (at->path().extension() == ".yaml") names.push_back(at->path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string find_workload(const std::string& name) {
  std::error_code ignored;
  const fs::path path(name);
  if (path.extension() == ".yaml" || path.extension() == ".yml" || path.has_parent_path()) return name;
  const std::vector<std::string> names = workload_names();
  if (std::binary_search(names.begin(), names.end(), name))
    return (fs::path(shipped()) / (name + ".yaml")).string();
  const std::string near = suggestion(name, names);
  std::string text = "no workload '" + name + "'" + near;
  if (near.empty()) text += "; strata trace workloads lists them, and a path that ends in .yaml names a file";
  throw ConfigError(text);
}

namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

template <class Bytes>
std::string text_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Names of the files of a dump; does not overwrite the workload's own files.
class Dump {
 public:
  Dump(std::string folder, const Workload& workload) : folder_(std::move(folder)) {
    guard_.reads(workload.files());
  }
  void add(const std::string& name, std::string text) {
    guard_.writes("--dump", (folder_ / name).string());
    files_.emplace_back(name, std::move(text));
  }
  void write() const {
    for (const auto& [name, text] : files_) strata::write_file((folder_ / name).string(), text);
  }

 private:
  fs::path folder_;
  FileGuard guard_;
  std::vector<std::pair<std::string, std::string>> files_;
};

void describe(std::ostream& text, const WorkloadDefinition& d, const std::vector<WorkloadAction>& actions) {
  for (const WorkloadAction& action : actions) {
    if (action.kind == WorkloadAction::Kind::copy)
      text << "copy " << action.buffer << " " << action.from << "\n";
    else
      text << "fill " << action.buffer << " " << to_text(d.buffers[action.buffer].type) << " " << action.value
           << "\n";
  }
}

void describe(std::ostream& text, const WorkloadDefinition& d, const PtxKernel& kernel,
              const WorkloadLaunch& l) {
  describe(text, d, l.before);
  text << "launch " << l.module << " " << l.kernel << " " << l.grid.x << " " << l.grid.y << " " << l.grid.z
       << " " << l.block.x << " " << l.block.y << " " << l.block.z << " " << l.dynamic_shared_bytes << " "
       << l.arguments.size() << "\n";
  for (std::size_t i = 0; i < l.arguments.size(); ++i) {
    const WorkloadArgument& a = l.arguments[i];
    const std::uint32_t bytes = kernel.parameters[i].bytes;
    if (a.kind == WorkloadArgument::Kind::buffer)
      text << "buffer " << a.buffer << " " << a.integer << "\n";
    else if (a.kind == WorkloadArgument::Kind::structure)
      throw ConfigError("kernel " + l.kernel + " takes a structure: such a workload cannot be dumped");
    else if (a.kind == WorkloadArgument::Kind::integer)
      text << "integer " << bytes << " " << a.integer << "\n";
    else
      text << "real " << bytes << " " << a.real << "\n";
  }
}

}  // namespace

void Workload::dump(const std::string& folder) const {
  for (const WorkloadBuffer& buffer : definition_.buffers)
    if (!buffer.symbol.empty())
      throw ConfigError(Faults{{buffer.symbol_where, "buffer '" + buffer.name +
                                                         "' is a variable of the module; "
                                                         "workloads with such buffers cannot be dumped"}});
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw ConfigError("cannot make the folder '" + folder + "': " + error.message());
  Dump files(folder, *this);
  HostData data = initial_data();
  std::ostringstream text;
  text << std::setprecision(17) << "strata-workload 1 " << name() << "\nmodules "
       << definition_.modules.size() << "\n";
  for (std::size_t i = 0; i < definition_.modules.size(); ++i)
    files.add(std::to_string(i) + ".ptx", read_file(definition_.modules[i]));
  text << "buffers " << definition_.buffers.size() << "\n";
  for (std::size_t i = 0; i < definition_.buffers.size(); ++i) {
    const WorkloadBuffer& buffer = definition_.buffers[i];
    text << buffer.name << " " << to_text(buffer.type) << " " << buffer.count << "\n";
    files.add(std::to_string(i) + ".initial", text_of(data.bytes(i)));
  }
  for (const WorkloadLaunch& launch : definition_.launches)
    describe(text, definition_, programs_[launch.module]->kernel(launch.kernel), launch);
  describe(text, definition_, definition_.after);
  if (reference_ != nullptr) reference_->compute(data);
  for (std::size_t i = 0; i < definition_.outputs.size(); ++i) {
    const WorkloadOutput& output = definition_.outputs[i];
    text << "output " << output.buffer << " " << (output.exact ? 1 : 0) << " " << output.absolute << " "
         << output.relative << " " << output.outliers << " " << i << ".expected\n";
    files.add(std::to_string(i) + ".expected",
              output.file.empty() ? text_of(data.bytes(output.expected)) : read_file(output.file));
  }
  text << "end\n";
  files.add("workload.txt", text.str());
  files.write();
}

namespace {

template <class T>
void compare_typed(const std::vector<std::uint8_t>& got, const std::vector<std::uint8_t>& want,
                   const WorkloadOutput& output, OutputReport& report) {
  for (std::size_t i = 0; i < report.elements; ++i) {
    T a, b;
    std::memcpy(&a, got.data() + i * sizeof(T), sizeof(T));
    std::memcpy(&b, want.data() + i * sizeof(T), sizeof(T));
    if (std::memcmp(&a, &b, sizeof(T)) == 0) continue;
    const double x = static_cast<double>(a), y = static_cast<double>(b), error = std::fabs(x - y);
    if (error > report.worst_error) report.worst_error = error;
    // Written so that a NaN, whose comparisons are false, counts as wrong.
    if (!output.exact && error <= output.absolute + output.relative * std::fabs(y)) continue;
    if (report.wrong++ == 0) report.first_wrong = i, report.got = x, report.wanted = y;
  }
}

void compare(ElementType type, const std::vector<std::uint8_t>& got, const std::vector<std::uint8_t>& want,
             const WorkloadOutput& output, OutputReport& report) {
  switch (type) {
    case ElementType::u8:
      return compare_typed<std::uint8_t>(got, want, output, report);
    case ElementType::i8:
      return compare_typed<std::int8_t>(got, want, output, report);
    case ElementType::u16:
      return compare_typed<std::uint16_t>(got, want, output, report);
    case ElementType::i16:
      return compare_typed<std::int16_t>(got, want, output, report);
    case ElementType::u32:
      return compare_typed<std::uint32_t>(got, want, output, report);
    case ElementType::i32:
      return compare_typed<std::int32_t>(got, want, output, report);
    case ElementType::u64:
      return compare_typed<std::uint64_t>(got, want, output, report);
    case ElementType::i64:
      return compare_typed<std::int64_t>(got, want, output, report);
    case ElementType::f32:
      return compare_typed<float>(got, want, output, report);
    case ElementType::f64:
      return compare_typed<double>(got, want, output, report);
  }
}

std::vector<std::uint8_t> contents(const WorkloadOutput& output, std::uint64_t bytes) {
  const auto fail = [&](const std::string& message) {
    throw ConfigError(Faults{{output.where, "outputs: " + message}});
  };
  std::vector<std::uint8_t> all(bytes);
  try {
    const InputFile file(output.file);
    if (file.size() != bytes)
      fail("'" + output.file + "' has " + std::to_string(file.size()) + " B, the buffer " +
           std::to_string(bytes) + " B");
    file.read_at(0, reinterpret_cast<char*>(all.data()), all.size());
  } catch (const InputError& error) {
    fail("cannot read '" + output.file + "': " + error.what());
  }
  return all;
}

}  // namespace

VerifyReport Workload::verify(const GlobalMemory& memory) const {
  HostData data = initial_data();
  if (reference_ != nullptr) reference_->compute(data);
  GlobalMemory like;  // gives the addresses: a name may also be a variable of the module
  const std::vector<Address> addresses = place(like);
  VerifyReport report;
  for (const WorkloadOutput& output : definition_.outputs) {
    const WorkloadBuffer& buffer = definition_.buffers[output.buffer];
    OutputReport one;
    one.buffer = definition_.buffers[output.expected].name;
    one.elements = buffer.count;
    one.allowed = output.outliers;
    std::vector<std::uint8_t> got(buffer.bytes());
    memory.read(addresses[output.buffer], got.data(), got.size());
    if (output.file.empty())
      compare(buffer.type, got, data.bytes(output.expected), output, one);
    else
      compare(buffer.type, got, contents(output, buffer.bytes()), output, one);
    report.outputs.push_back(one);
  }
  return report;
}

bool VerifyReport::good() const {
  for (const OutputReport& output : outputs)
    if (output.wrong > output.allowed) return false;
  return true;
}

std::string VerifyReport::text() const {
  std::ostringstream text;
  text.precision(9);
  for (const OutputReport& output : outputs) {
    text << output.buffer << ": ";
    if (output.wrong <= output.allowed)
      text << output.elements << " elements as the reference; worst error " << output.worst_error << "\n";
    else
      text << output.wrong << " of " << output.elements << " elements differ; the first, ["
           << output.first_wrong << "], is " << output.got << " instead of " << output.wanted << "\n";
  }
  return text.str();
}

void add_to_key(const WorkloadDefinition& definition, const PtxOptions& given, CacheKey& key) {
  const PtxOptions options = Workload::options_of(definition, given);
  const auto number = [&key](const char* name, auto value) { key.add(name, std::to_string(value)); };
  key.add("scale", definition.scale);
  for (const auto& value : definition.values) key.add("value " + value.first, std::to_string(value.second));
  for (const std::string& file : Workload::files(definition)) key.add_file(file);
  number("hoist_loads", options.hoist_loads ? 1 : 0);
  number("loads_in_flight", options.loads_in_flight);
  number("memcheck", options.memcheck == PtxOptions::Memcheck::strict ? 1 : 0);
  number("watchdog", options.watchdog);
  number("max_instructions", options.max_instructions.value_or(0));
  number("max_bytes", options.max_bytes.value_or(0));
  number("read_only", static_cast<int>(options.read_only.value_or(PtxOptions::ReadOnly::nc)));
}

}  // namespace strata::traces
