// A workload as plain files, for a program that runs it elsewhere (tb/gpu/ptx_device_check.cu).
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iterator>
#include <sstream>
#include <utility>
#include <vector>

#include "models/common/faults.h"
#include "models/io/draft.h"
#include "models/io/file_guard.h"
#include "traces/workloads/workload.h"

namespace strata::traces {
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

/// The files of a dump: one that the workload itself is read from stays.
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

}  // namespace strata::traces
