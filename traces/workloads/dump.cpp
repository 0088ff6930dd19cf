// A workload as plain files, for a program that runs it elsewhere (tb/gpu/ptx_device_check.cu).
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <sstream>

#include "traces/workloads/workload.h"

namespace strata::traces {
namespace {

namespace fs = std::filesystem;

void write_file(const fs::path& path, const void* data, std::size_t bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
  file.close();
  if (!file) throw ConfigError("cannot write '" + path.string() + "': " + std::strerror(errno));
}

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
  HostData data = initial_data();
  std::ostringstream text;
  text << std::setprecision(17) << "strata-workload 1 " << name() << "\nmodules "
       << definition_.modules.size() << "\n";
  for (std::size_t i = 0; i < definition_.modules.size(); ++i)
    fs::copy_file(definition_.modules[i], fs::path(folder) / (std::to_string(i) + ".ptx"),
                  fs::copy_options::overwrite_existing);
  text << "buffers " << definition_.buffers.size() << "\n";
  for (std::size_t i = 0; i < definition_.buffers.size(); ++i) {
    const WorkloadBuffer& buffer = definition_.buffers[i];
    text << buffer.name << " " << to_text(buffer.type) << " " << buffer.count << "\n";
    write_file(fs::path(folder) / (std::to_string(i) + ".initial"), data.bytes(i).data(),
               data.bytes(i).size());
  }
  for (const WorkloadLaunch& launch : definition_.launches)
    describe(text, definition_, programs_[launch.module]->kernel(launch.kernel), launch);
  describe(text, definition_, definition_.after);
  if (reference_ != nullptr) reference_->compute(data);
  for (std::size_t i = 0; i < definition_.outputs.size(); ++i) {
    const WorkloadOutput& output = definition_.outputs[i];
    text << "output " << output.buffer << " " << (output.exact ? 1 : 0) << " " << output.absolute << " "
         << output.relative << " " << output.outliers << " " << i << ".expected\n";
    const fs::path to = fs::path(folder) / (std::to_string(i) + ".expected");
    if (output.file.empty())
      write_file(to, data.bytes(output.expected).data(), data.bytes(output.expected).size());
    else
      fs::copy_file(output.file, to, fs::copy_options::overwrite_existing);
  }
  text << "end\n";
  write_file(fs::path(folder) / "workload.txt", text.str().data(), text.str().size());
}

}  // namespace strata::traces
