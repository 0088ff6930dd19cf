#pragma once

#include <string>

namespace strata {

/// A file for the results of a run that has failed, and a sentence on it. No name: there is none.
struct Evidence {
  std::string file;
  std::string content;
  std::string sentence;
};

/// A block that can show more of the error that it has ended a run with.
class EvidenceIf {
 public:
  virtual ~EvidenceIf() = default;
  virtual Evidence evidence() = 0;
};

}  // namespace strata
