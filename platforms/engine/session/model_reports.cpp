#include "platforms/engine/session/model_reports.h"

#include <iostream>
#include <string_view>

namespace strata::platforms {
namespace {

constexpr std::uint64_t warnings_shown = 10;

struct Seen {
  std::uint64_t warnings = 0;
  std::string error;
};

Seen& seen() {
  static Seen instance;  // SystemC's handler is a plain function without context
  return instance;
}

std::string text_of(const sc_core::sc_report& report) {
  std::string text = report.get_msg_type();  // models report their full name
  if (report.get_msg() != nullptr && *report.get_msg() != '\0') text += ": " + std::string(report.get_msg());
  return text + " (at " + report.get_time().to_string() + ")";
}

/// True for a fault that the protocol checker found while time advances. The call that it saw is not made,
/// because the behaviour of the models is undefined then; they may crash.
bool ends_run(const sc_core::sc_report& report) {
  return std::string_view(report.get_msg_type()) == "strata/protocol" &&
         sc_core::sc_get_status() == sc_core::SC_RUNNING;
}

void take(const sc_core::sc_report& report, const sc_core::sc_actions&) {
  switch (report.get_severity()) {
    case sc_core::SC_INFO:
      return;
    case sc_core::SC_WARNING:
      if (ends_run(report)) break;
      if (++seen().warnings <= warnings_shown) std::cerr << "warning: " << text_of(report) << "\n";
      return;
    default:
      break;
  }
  if (seen().error.empty()) seen().error = text_of(report);
  throw report;
}

}  // namespace

ModelReports::ModelReports() {
  seen() = {};
  // SystemC cannot report the present handler: it is SystemC's own unless a user has set another one.
  before_ = &sc_core::sc_report_handler::default_handler;
  sc_core::sc_report_handler::set_handler(&take);
}

ModelReports::~ModelReports() {
  sc_core::sc_report_handler::set_handler(before_);
}

std::uint64_t ModelReports::warnings() const {
  return seen().warnings;
}
const std::string& ModelReports::error() const {
  return seen().error;
}

}  // namespace strata::platforms
