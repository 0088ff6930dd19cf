// Every read-only parameter of every kernel that Strata comes with: one store or atomic through it, added to
// the PTX text, makes it writable and changes nothing else.
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tb/support/catch.h"
#include "traces/ptx/read_only_report.h"

using namespace strata::traces;

namespace {

std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The file with `access` through parameter `name` at the beginning of the kernel that begins in line `line`.
std::string mutant(const std::string& text, int line, const std::string& name, const std::string& access) {
  std::size_t at = 0;
  for (int n = 1; n < line; ++n) at = text.find('\n', at) + 1;
  const std::size_t body = text.find('{', at) + 1;
  return text.substr(0, body) + "\n{\n.reg .b64 %mutant;\nld.param.u64 %mutant, [" + name + "];\n" + access +
         " [%mutant], 0;\n}\n" + text.substr(body);
}

/// Read-only pointers of all kernels of a text, in order: "kernel:pointer=1".
std::vector<std::string> verdicts(const std::string& text, const std::string& path) {
  std::vector<std::string> all;
  for (const KernelReport& kernel : analyse_read_only(*PtxProgram::parse(text, path)))
    for (const PointerReport& p : kernel.pointers)
      all.push_back(kernel.name + ":" + p.name + (p.read_only ? "=1" : "=0"));
  return all;
}

int mutants_of(const std::string& path) {
  int count = 0;
  const std::string text = text_of(path);
  const auto program = PtxProgram::parse(text, path);
  const std::vector<std::string> before = verdicts(text, path);
  for (const KernelReport& kernel : analyse_read_only(*program))
    for (const PointerReport& p : kernel.pointers) {
      if (!p.read_only || p.variable) continue;
      const std::string flips = kernel.name + ":" + p.name;
      std::vector<std::string> wanted = before;
      for (std::string& v : wanted)
        if (v == flips + "=1") v.back() = '0';
      for (const char* access : {"st.global.u8", "red.global.add.u32"}) {
        INFO(path << ": " << access << " through " << flips);
        CHECK(verdicts(mutant(text, kernel.line, p.name, access), path) == wanted);
        ++count;
      }
    }
  return count;
}

}  // namespace

TEST_CASE("ptx: one more store flips exactly the parameter that it goes through") {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator("traces/kernels"))
    if (entry.path().extension() == ".ptx") files.push_back(entry.path().string());
  CHECK(files.size() >= 40);
  int mutants = 0;
  for (const std::string& file : files) mutants += mutants_of(file);
  WARN("mutants " << mutants);
  CHECK(mutants >= 250);
}
