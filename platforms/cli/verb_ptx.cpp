// `strata ptx analyse`: which data of a kernel are never written.
#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "models/common/faults.h"
#include "models/io/draft.h"
#include "models/io/file_guard.h"
#include "platforms/cli/arguments.h"
#include "platforms/report/json_text.h"
#include "traces/ptx/read_only_report.h"

namespace strata::cli {
namespace {

using Words = std::vector<std::string>;
using traces::KernelReport;
using traces::PointerReport;

std::string padded(const std::string& text, std::size_t width, bool right = false) {
  const std::string blanks(text.size() < width ? width - text.size() : 0, ' ');
  return right ? blanks + text : text + blanks;
}

void print_table(const std::string& file, const KernelReport& kernel) {
  std::cout << kernel.name << " (" << file << ":" << kernel.line << ")\n";
  if (kernel.pointers.empty()) std::cout << "  no access to global memory through a pointer\n";
  std::size_t width = 9;
  for (const PointerReport& p : kernel.pointers)
    width = std::max(width, p.name.size() + (p.variable ? 11 : 0));
  if (!kernel.pointers.empty())
    std::cout << "  " << padded("pointer", width) << "  read-only  loads  rewritten  .nc  .ro  why not\n";
  for (const PointerReport& p : kernel.pointers) {
    std::string row =
        "  " + padded(p.name + (p.variable ? " (variable)" : ""), width) + "  " +
        padded(p.read_only ? "yes" : "no", 9) + "  " + padded(std::to_string(p.loads), 5, true) + "  " +
        padded(std::to_string(p.proved), 9, true) + "  " + padded(std::to_string(p.non_coherent), 3, true) +
        "  " + padded(std::to_string(p.marked), 3, true);
    if (!p.reason.empty()) row += "  " + p.reason;
    std::cout << row << "\n";
  }
  if (kernel.unknown_loads != 0)
    std::cout << "  loads from addresses of unknown origin: " << kernel.unknown_loads << "\n";
}

nlohmann::ordered_json to_json(const KernelReport& kernel) {
  nlohmann::ordered_json pointers = nlohmann::ordered_json::array();
  for (const PointerReport& p : kernel.pointers) {
    nlohmann::ordered_json row = {{"name", p.name},
                                  {"kind", p.variable ? "variable" : "parameter"},
                                  {"read_only", p.read_only},
                                  {"loads", p.loads},
                                  {"rewritten", p.proved},
                                  {"nc", p.non_coherent},
                                  {"ro", p.marked}};
    if (!p.read_only) {
      row["reason"] = p.reason;
      row["reason_line"] = p.line;
    }
    pointers.push_back(row);
  }
  return {{"kernel", kernel.name},
          {"line", kernel.line},
          {"pointers", pointers},
          {"loads_of_unknown_origin", kernel.unknown_loads}};
}

void print(const std::string& file, const std::vector<KernelReport>& reports, bool json) {
  if (json) {
    nlohmann::ordered_json kernels = nlohmann::ordered_json::array();
    for (const KernelReport& kernel : reports) kernels.push_back(to_json(kernel));
    const nlohmann::ordered_json all = {{"file", file}, {"kernels", kernels}};
    std::cout << platforms::json_text(all, 2, true);
    return;
  }
  for (const KernelReport& kernel : reports) print_table(file, kernel);
  if (reports.empty()) std::cout << file << ": no kernels\n";
  bool compiler = false;
  for (const KernelReport& kernel : reports)
    for (const PointerReport& p : kernel.pointers) compiler = compiler || p.non_coherent != 0;
  if (compiler) std::cout << ".nc: ld.global.nc, which the compiler marks: read-only loads as they stand\n";
}

int analyse(const Words& arguments) {
  Arguments a(
      "ptx analyse FILE [--kernel NAME] [--rewrite OUT] [--json]",
      "Traces the address of every access of global memory back to the parameters of the kernel, and shows\n"
      "per parameter whether the kernel only reads its data, or which access writes it (docs/guide/ptx.md). "
      "'rewritten'\n"
      "counts the loads that --rewrite marks: it writes the file with ld.global turned into ld.global.ro\n"
      "where that is proved, and changes nothing else. Two parameters may point into\n"
      "one buffer: Strata checks that when a kernel is launched.",
      "  strata ptx analyse traces/kernels/gemm.ptx\n"
      "  strata ptx analyse traces/kernels/gemm.ptx --kernel gemm --rewrite gemm_ro.ptx\n"
      "  strata ptx analyse traces/kernels/bfs.ptx --json\n");
  a.options().add_options()("kernel", po::value<std::string>(), "only this kernel; mangled or plain name")(
      "rewrite", po::value<std::string>(), "PTX file to write, with the proved loads marked")(
      "force", "--rewrite may replace the file that is read")("json", "print a JSON object");
  if (!a.read(arguments, 1, 1)) return 0;
  const std::string& file = a.words().front();
  const std::string text = traces::PtxProgram::read(file);
  Words only;
  if (a.has("kernel")) only.push_back(a.get<std::string>("kernel"));
  // A load in a function that several kernels call is marked only if the proof holds in all of them.
  const auto program = traces::PtxProgram::parse(text, file, a.has("rewrite") ? Words() : only);
  const auto reports = traces::analyse_read_only(*program, only);
  if (only.empty())
    for (const traces::PtxRefusal& refusal : program->refused())
      std::cerr << "strata ptx analyse: left out: " << refusal.fault->what() << "\n";
  if (!a.has("rewrite")) {
    print(file, reports, a.has("json"));
    return 0;
  }
  const std::string out = a.get<std::string>("rewrite");
  if (!a.has("force") && same_file(file, out))
    throw ConfigError("--rewrite: " + out + " is the file that is read; give another name, or --force");
  std::uint32_t changed = 0;
  write_file(out, traces::rewrite_read_only(*program, text, only, changed));
  print(file, reports, a.has("json"));
  if (!a.has("json")) std::cout << out << ": " << changed << " loads are ld.global.ro now\n";
  return 0;
}

constexpr Verb verbs[] = {
    {"analyse", "find the data that a kernel never writes, and mark its loads", analyse},
};

}  // namespace

int run_ptx(const Words& arguments) {
  Words names;
  for (const Verb& verb : verbs) {
    if (!arguments.empty() && arguments.front() == verb.name)
      return verb.run({arguments.begin() + 1, arguments.end()});
    names.emplace_back(verb.name);
  }
  if (arguments.empty()) throw ConfigError("usage: strata ptx analyse FILE ...; see strata ptx --help");
  if (arguments.front() != "--help" && arguments.front() != "-h")
    throw ConfigError("no verb 'ptx " + arguments.front() + "'" + suggestion(arguments.front(), names) +
                      "; there is analyse");
  std::cout << "usage: strata ptx VERB ...\n\n";
  for (const Verb& verb : verbs) std::cout << "  " << verb.name << ": " << verb.summary << "\n";
  std::cout << "\nexamples:\n  strata ptx analyse traces/kernels/gemm.ptx\n";
  return 0;
}

}  // namespace strata::cli
