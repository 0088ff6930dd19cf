#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "tb/machines/trial.h"

namespace strata::tb {

/// What has been tried: a line of JSON a case in a file, so that a long job can be stopped and taken up
/// again.
class Journal {
 public:
  /// An empty path keeps nothing. Throws std::runtime_error when the file belongs to another seed.
  Journal(const std::string& path, std::uint64_t seed);

  bool has(std::uint64_t number) const { return done_.count(number) != 0; }
  /// True when a failure of this kind is new: worth shrinking.
  bool add(std::uint64_t number, const Trial& trial, const std::string& command);
  void add_shrunk(const std::string& what, const std::string& command);
  /// Failures by kind with the first case of each, refusals by how often they came, and the totals.
  std::string summary() const;
  std::uint64_t cases() const { return clean_ + refused_ + failed_; }
  std::uint64_t failed() const { return failed_; }

 private:
  struct Kind {
    std::uint64_t count = 0, first = 0;
    std::string command, shrunk;
  };
  void count(std::uint64_t number, const std::string& verdict, const std::string& what,
             const std::string& command);

  std::ofstream file_;
  std::set<std::uint64_t> done_;
  std::map<std::string, Kind> failures_;
  std::map<std::string, std::uint64_t> refusals_;
  std::uint64_t clean_ = 0, refused_ = 0, failed_ = 0, runs_ = 0, peak_bytes_ = 0;
  double cpu_seconds_ = 0, longest_ = 0;
};

}  // namespace strata::tb
