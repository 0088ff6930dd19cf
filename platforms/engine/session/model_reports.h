#pragma once

#include <cstdint>
#include <string>

#include <systemc>

namespace strata::platforms {

/// While it exists, handles the reports of models through SystemC: errors and violations of the base protocol
/// end the run (sc_start throws them), warnings are counted and the first few shown on stderr, information is
/// dropped.
class ModelReports {
 public:
  ModelReports();
  ~ModelReports();
  ModelReports(const ModelReports&) = delete;
  ModelReports& operator=(const ModelReports&) = delete;

  std::uint64_t warnings() const;
  /// `module: message (time)` of the first error or violation; empty if there was none.
  const std::string& error() const;

 private:
  sc_core::sc_report_handler_proc before_;
};

}  // namespace strata::platforms
