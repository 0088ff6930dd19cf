#include "traces/open.h"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "models/common/faults.h"
#include "models/common/input_file.h"
#include "models/common/text.h"
#include "models/io/shipped_folders.h"
#include "traces/accelsim/accelsim_source.h"
#include "traces/record/record_source.h"
#include "traces/synthetic/synthetic_source.h"

namespace strata::traces {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view synthetic_prefix = "synthetic:";
constexpr std::string_view idle_name = "idle";
constexpr std::string_view samples = "traces/samples";

/// A source without kernels: an application that leaves its SMs idle.
class IdleSource final : public InstructionSource {
 public:
  const std::vector<KernelInfo>& kernels() const override { return kernels_; }
  const std::vector<MemcpyInfo>& copies() const override { return copies_; }
  std::shared_ptr<const CtaTrace> fetch(std::uint32_t, std::uint64_t) override { return nullptr; }
  std::string description() const override { return std::string(idle_name); }

 private:
  std::vector<KernelInfo> kernels_;
  std::vector<MemcpyInfo> copies_;
};

[[noreturn]] void fail(const std::string& path, std::string message) {
  throw TraceError(Fault{{path, 0, 0}, std::move(message)});
}

/// Names in the folder of `path`.
std::string neighbour(const std::string& path) {
  std::vector<std::string> names;
  const fs::path wanted(path);
  std::error_code error;
  const fs::path directory = wanted.has_parent_path() ? wanted.parent_path() : fs::path(".");
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error))
    names.push_back(at->path().filename().string());
  if (error) return ": the directory '" + directory.string() + "' cannot be read";
  return suggestion(wanted.filename().string(), names);
}

/// Finds samples by the names that pages use, from any folder.
std::string place_of(const std::string& path) {
  std::error_code ignored;
  if (path.compare(0, samples.size(), samples) != 0 || fs::exists(path, ignored)) return path;
  for (const std::string& folder : shipped_folders(std::string(samples)))
    if (const fs::path place = folder + path.substr(samples.size()); fs::exists(place, ignored))
      return place.string();
  return path;
}

}  // namespace

std::unique_ptr<InstructionSource> open_trace(const std::string& path_or_spec, OpenOptions options) {
  const std::string path = place_of(path_or_spec);
  if (path.compare(0, synthetic_prefix.size(), synthetic_prefix) == 0)
    return std::make_unique<SyntheticSource>(parse_synthetic(path.substr(synthetic_prefix.size())),
                                             options.seed);
  if (path == idle_name) return std::make_unique<IdleSource>();
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) fail(path, "no such file or directory" + neighbour(path));
  const AccelsimOptions accelsim{options.strict};
  if (fs::is_directory(status)) {
    const std::string list = (fs::path(path) / "kernelslist.g").string();
    if (!fs::exists(list, error))
      fail(path, "expected a directory that holds kernelslist.g" + neighbour(list));
    return std::make_unique<AccelsimSource>(list, accelsim);
  }
  if (is_kernel_file(path) || ends_with(path, ".g")) return std::make_unique<AccelsimSource>(path, accelsim);
  if (!fs::is_regular_file(status)) {
    try {
      InputFile{path};
    } catch (const InputError& fault) {
      fail(path, fault.what());
    }
  }
  if (RecordSource::is_record(path)) return std::make_unique<RecordSource>(path);
  fail(path,
       "not a trace that Strata knows: expected a kernelslist.g, a .traceg, .traceg.xz or .tracez file, a "
       "record file, "
       "'synthetic:...' or 'idle'");
}

std::vector<std::string> files_of(const InstructionSource& source) {
  if (const auto* accelsim = dynamic_cast<const AccelsimSource*>(&source)) return accelsim->files();
  if (const auto* record = dynamic_cast<const RecordSource*>(&source)) return {record->path()};
  return {};
}

std::vector<std::string> notes_of(const InstructionSource& source) {
  if (const auto* accelsim = dynamic_cast<const AccelsimSource*>(&source)) return accelsim->notes();
  return {};
}

}  // namespace strata::traces
