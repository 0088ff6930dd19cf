#include "traces/accelsim/out/export.h"

#include <cstdio>
#include <set>

#include "models/io/draft.h"
#include "traces/accelsim/out/kernel_writer.h"

namespace strata::traces {
namespace {

std::string copy_line(const MemcpyInfo& copy) {
  char text[64];
  std::snprintf(text, sizeof text, "MemcpyHtoD,0x%016llx,%llu\n",
                static_cast<unsigned long long>(copy.address), static_cast<unsigned long long>(copy.bytes));
  return text;
}

void add(ExportLosses& to, const ExportLosses& more) {
  to.waits_moved += more.waits_moved;
  to.sources_dropped += more.sources_dropped;
  to.without_register += more.without_register;
  to.bulk_copies += more.bulk_copies;
  to.orders += more.orders;
}

/// The lines of a list that say which launch comes after which: calls of streams and events, which Accel-Sim
/// passes over.
class OrderLines {
 public:
  explicit OrderLines(const std::vector<KernelInfo>& kernels) {
    for (const KernelInfo& kernel : kernels) awaited_.insert(kernel.after.begin(), kernel.after.end());
  }
  /// In front of a kernel. Of priorities the lower number goes first in CUDA.
  std::string before(const KernelInfo& kernel) {
    std::string lines;
    const std::string stream = std::to_string(kernel.stream);
    if (kernel.priority != 0 && created_.insert(kernel.stream).second)
      lines += "cudaStreamCreateWithPriority," + stream + ",0," + std::to_string(-kernel.priority) + "\n";
    for (const std::uint32_t other : kernel.after)
      lines += "cudaStreamWaitEvent," + stream + "," + event_of(other) + "\n";
    return lines;
  }
  std::string behind(const KernelInfo& kernel) const {
    if (awaited_.count(kernel.id) == 0) return {};
    return "cudaEventRecord," + event_of(kernel.id) + "," + std::to_string(kernel.stream) + "\n";
  }

 private:
  static std::string event_of(std::uint32_t kernel) { return std::to_string(kernel + 1); }

  std::set<std::uint32_t> awaited_;
  std::set<std::uint64_t> created_;
};

/// Copies up to those before a kernel.
void add_copies(const InstructionSource& source, std::size_t& next, std::uint64_t kernel, std::string& list) {
  const std::vector<MemcpyInfo>& copies = source.copies();
  for (; next < copies.size() && copies[next].before_kernel <= kernel; ++next)
    list += copy_line(copies[next]);
}

}  // namespace

ExportReport export_accelsim(InstructionSource& source, const std::string& folder, bool compress,
                             const ProgressFn& progress) {
  ExportReport report;
  std::uint64_t all = 0;
  for (const KernelInfo& kernel : source.kernels()) all += kernel.ctas();
  std::string list;
  std::size_t copy = 0;
  OrderLines order(source.kernels());
  // Not by iterators: kernels of some sources become known as they are launched.
  for (std::uint32_t k = 0; k < source.kernels().size(); ++k) {
    const KernelInfo kernel = source.kernels()[k];
    const std::string name = "kernel-" + std::to_string(k + 1) + ".traceg";
    KernelWriter writer(folder + "/" + name, kernel);
    for (std::uint64_t cta = 0; cta < kernel.ctas(); ++cta) {
      writer.add(*source.fetch(k, cta));
      if (progress) progress(++report.ctas, all);
    }
    if (!progress) report.ctas += kernel.ctas();
    compress ? writer.finish_compressed() : writer.finish();
    add_copies(source, copy, k, list);
    list += order.before(kernel) + name + (compress ? ".xz\n" : "\n") + order.behind(kernel);
    ++report.kernels;
    report.instructions += writer.instructions().instructions();
    report.bytes += writer.bytes();
    add(report.losses, writer.instructions().losses());
  }
  add_copies(source, copy, ~std::uint64_t{0}, list);
  write_file(folder + "/kernelslist.g", list);
  return report;
}

bool is_export_name(std::string_view name) {
  return name == "kernelslist.g" || name.substr(0, 7) == "kernel-" || name.substr(0, 14) == ".kernelslist.g";
}

std::vector<std::string> to_sentences(const ExportLosses& losses) {
  std::vector<std::string> all;
  const auto tell = [&all](std::uint64_t count, const std::string& what) {
    if (count != 0) all.push_back(std::to_string(count) + " " + what);
  };
  tell(losses.waits_moved,
       "loads are waited for an instruction later: more than 4 are first read by the same one");
  tell(losses.sources_dropped, "source registers are left out: Accel-Sim takes 4 of an instruction");
  tell(losses.without_register, "loads are not waited for: all 255 registers are in use");
  tell(losses.bulk_copies,
       "parts of bulk copies that report to no barrier are written as asynchronous copies of their warp, and "
       "nothing waits for them");
  tell(losses.orders,
       "instructions of groups of bulk copies, and reports of bytes without a copy, take an issue slot and "
       "order "
       "nothing: traces have no form for them");
  return all;
}

}  // namespace strata::traces
