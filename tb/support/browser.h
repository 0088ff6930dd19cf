#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <sys/types.h>
#include <vector>

#include "tb/support/temp_folder.h"

namespace strata::tb {

/// A headless Chromium with one page, driven over its pipe for debuggers (Chrome DevTools Protocol).
class Browser {
 public:
  using Json = nlohmann::json;

  /// Its program, from the search path; empty when there is none.
  static std::string program();

  Browser(int width, int height);
  ~Browser();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  /// Loads a file and waits until its scripts have run. Returns the milliseconds from the start of its
  /// navigation to the end of its first drawing.
  double open(const std::string& file);
  /// What an expression of JavaScript is; a promise is waited for.
  Json value(const std::string& expression);
  /// Moves the pointer to the middle of the first element of a CSS selector, scrolled into view.
  void hover(const std::string& selector);
  void press(const std::string& key);
  void resize(int width, int height);
  void prefer_dark(bool dark);
  /// Shows the page with the styles of paper of so many pixels width, as its own scripts prepare it, or ends
  /// that.
  void show_as_printed(bool printed, int width);
  /// PNG of the first element of a selector.
  void picture(const std::string& selector, const std::string& file);
  /// The page as it would be printed: bytes of PDF.
  std::string print();
  /// Errors on its console, exceptions, and requests for anything but the file itself.
  const std::vector<std::string>& complaints() const { return complaints_; }

 private:
  Json call(const std::string& method, Json params = Json::object(), bool of_page = true);
  Json next_message();
  void note(const Json& message);

  TempFolder folder_;  // of its profile
  pid_t pid_ = -1;
  int to_ = -1, from_ = -1;
  int calls_ = 0;
  bool loaded_ = false;
  std::string buffer_, session_, file_;
  std::vector<std::string> complaints_;
};

}  // namespace strata::tb
