#include "traces/ptx/read_only_report.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "models/common/faults.h"
#include "traces/ptx/provenance/provenance.h"

namespace strata::traces {
namespace {

using ptx::DecodedKernel;
using ptx::Instruction;
using ptx::TracedAccess;
using ptx::Verdict;

std::string place(const DecodedKernel& kernel, const Instruction& i) {
  std::string text = kernel.module->path + ":" + std::to_string(i.line);
  const auto file = kernel.module->files.find(i.source_file);
  if (i.source_line == 0 || file == kernel.module->files.end()) return text;
  return text + " (" + file->second + ":" + std::to_string(i.source_line) + ")";
}

std::string reason(const DecodedKernel& kernel, const TracedAccess& spoiler, bool certain) {
  const Instruction& i = *kernel.code[spoiler.pc];
  const std::string at = i.spelling() + " at " + place(kernel, i);
  if (!certain) return "may be written: " + at + " has an address of unknown origin";
  switch (spoiler.kind) {
    case TracedAccess::Kind::atomic:
      return "updated: " + at;
    case TracedAccess::Kind::escape:
      return "escapes: its address is stored by " + at;
    default:
      return "written: " + at;
  }
}

/// A ld.global that may become ld.global.ro: not marked yet, and not ordered.
bool rewritable(const Instruction& i) {
  if (i.behind_global == 0 || i.has("nc") || i.has("ro")) return false;
  for (const char* ordered : {"volatile", "relaxed", "acquire", "mmio"})
    if (i.has(ordered)) return false;
  return true;
}

KernelReport report(const DecodedKernel& kernel) {
  const Verdict verdict(kernel);
  KernelReport result;
  result.name = kernel.function->name;
  result.line = kernel.function->line;
  const auto& origins = verdict.provenance().origins;
  std::vector<PointerReport> all(origins.size());
  std::set<const Instruction*> lost;
  std::set<std::pair<std::size_t, const Instruction*>> seen;  // a function that is inlined twice counts once
  for (const TracedAccess& a : verdict.provenance().accesses) {
    if (a.kind != TracedAccess::Kind::load) continue;
    const Instruction& i = *kernel.code[a.pc];
    if ((a.origins & ptx::from_nowhere) != 0) lost.insert(&i);
    for (std::size_t n = 0; n < all.size(); ++n) {
      if ((verdict.pointers_of(a) >> n & 1) == 0 || !seen.insert({n, &i}).second) continue;
      ++all[n].loads;
      all[n].non_coherent += i.has("nc");
      all[n].marked += i.has("ro");
      all[n].proved += verdict.proved(a) && rewritable(i);
    }
  }
  result.unknown_loads = static_cast<std::uint32_t>(lost.size());
  std::vector<std::size_t> order;  // parameters in order of declaration, then variables
  for (std::size_t n = 0; n < all.size(); ++n)
    if ((verdict.pointers() >> n & 1) != 0) order.push_back(n);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto key = [&](std::size_t n) {
      return std::make_tuple(origins[n].kind, origins[n].index, origins[n].offset);
    };
    return key(a) < key(b);
  });
  for (const std::size_t n : order) {
    PointerReport& p = all[n];
    p.name = ptx::origin_name(kernel, origins[n]);
    p.variable = origins[n].kind == ptx::Origin::Kind::variable;
    const TracedAccess* spoiler = verdict.spoiler(n);
    p.read_only = spoiler == nullptr;
    if (spoiler != nullptr) {
      p.reason = reason(kernel, *spoiler, (verdict.pointers_of(*spoiler) >> n & 1) != 0);
      p.line = kernel.code[spoiler->pc]->line;
    }
    result.pointers.push_back(p);
  }
  return result;
}

std::set<std::string> chosen(const PtxProgram& program, const std::vector<std::string>& only) {
  std::set<std::string> names;
  for (const std::string& name : only) names.insert(program.kernel(name).name);
  if (only.empty())
    for (const PtxKernel& k : program.kernels()) names.insert(k.name);
  return names;
}

}  // namespace

std::vector<KernelReport> analyse_read_only(const PtxProgram& program, const std::vector<std::string>& only) {
  const std::set<std::string> names = chosen(program, only);
  std::vector<KernelReport> reports;
  for (const PtxKernel& k : program.kernels())
    if (names.count(k.name) != 0) reports.push_back(report(*program.module().decoded.at(k.name)));
  return reports;
}

std::string rewrite_read_only(const PtxProgram& program, const std::string& text,
                              const std::vector<std::string>& only, std::uint32_t& changed) {
  const std::set<std::string> names = chosen(program, only);
  std::map<std::uint32_t, bool> places;  // position behind `.global`: proved in every copy
  std::set<std::uint32_t> wanted;
  for (const PtxKernel& k : program.kernels()) {
    const DecodedKernel& kernel = *program.module().decoded.at(k.name);
    const Verdict verdict(kernel);
    for (const TracedAccess& a : verdict.provenance().accesses) {
      const Instruction& i = *kernel.code[a.pc];
      if (a.kind != TracedAccess::Kind::load || !rewritable(i)) continue;
      const auto known = places.emplace(i.behind_global, true).first;
      known->second = known->second && verdict.proved(a);
      if (names.count(k.name) != 0) wanted.insert(i.behind_global);
    }
  }
  std::string result;
  std::size_t done = 0;
  changed = 0;
  for (const auto& [at, proved] : places) {
    if (!proved || wanted.count(at) == 0 || at > text.size()) continue;
    result.append(text, done, at - done);
    result += ".ro";
    done = at;
    ++changed;
  }
  return result.append(text, done, std::string::npos);
}

}  // namespace strata::traces
