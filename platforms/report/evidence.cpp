#include "platforms/report/evidence.h"

#include "models/tlm/evidence_if.h"

namespace strata::platforms {

std::string write_evidence(ResultsDirectory& results, const Platform& platform) {
  for (const PlatformInstance& instance : platform.instances()) {
    auto* witness = dynamic_cast<EvidenceIf*>(instance.block);
    const Evidence evidence = witness != nullptr ? witness->evidence() : Evidence{};
    if (evidence.content.empty()) continue;
    results.write(evidence.file, evidence.content);
    return evidence.file + " has the " + evidence.sentence;
  }
  return {};
}

}  // namespace strata::platforms
