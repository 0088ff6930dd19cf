#include "tb/support/browser.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace strata::tb {
namespace {

constexpr int patience_ms = 60'000;

std::string decoded(const std::string& base64) {
  std::string out;
  unsigned bits = 0;
  int count = 0;
  for (const char c : base64) {
    static const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const std::size_t at = letters.find(c);
    if (at == std::string::npos) continue;
    bits = bits << 6 | static_cast<unsigned>(at);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out += static_cast<char>(bits >> count & 0xff);
  }
  return out;
}

}  // namespace

std::string Browser::program() {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
      const std::string file = folder + "/" + name;
      if (::access(file.c_str(), X_OK) == 0) return file;
    }
  return "";
}

Browser::Browser(int width, int height) {
  int there[2], back[2];
  if (::pipe(there) != 0 || ::pipe(back) != 0) throw std::runtime_error("no pipe");
  const std::string size = "--window-size=" + std::to_string(width) + "," + std::to_string(height);
  const std::string profile = "--user-data-dir=" + folder_.path();
  const std::string browser = program();
  pid_ = ::fork();
  if (pid_ == 0) {
    ::setpgid(0, 0);
    // The browser reads from 3 and writes to 4, whatever numbers the pipes have now.
    const int in = ::fcntl(there[0], F_DUPFD, 10), out = ::fcntl(back[1], F_DUPFD, 10);
    ::dup2(in, 3);
    ::dup2(out, 4);
    const int quiet = ::open((folder_.path() + "/log").c_str(), O_WRONLY | O_CREAT, 0666);
    ::dup2(quiet, STDOUT_FILENO);
    ::dup2(quiet, STDERR_FILENO);
    for (int descriptor = 5; descriptor < 64; ++descriptor) ::close(descriptor);
    ::execl(browser.c_str(), browser.c_str(), "--headless", "--remote-debugging-pipe", "--no-sandbox",
            "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
            "--disable-background-networking", "--disable-extensions", size.c_str(), profile.c_str(),
            "about:blank", static_cast<char*>(nullptr));
    ::_exit(127);
  }
  ::close(there[0]);
  ::close(back[1]);
  to_ = there[1];
  from_ = back[0];
  const std::string page = call("Target.createTarget", {{"url", "about:blank"}}, false)["targetId"];
  session_ = call("Target.attachToTarget", {{"targetId", page}, {"flatten", true}}, false)["sessionId"];
  for (const char* domain : {"Page", "Runtime", "Log", "Network"}) call(std::string(domain) + ".enable");
  resize(width, height);
}

Browser::~Browser() {
  ::close(to_);
  ::close(from_);
  if (pid_ > 0) {
    ::kill(-pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
}

Browser::Json Browser::next_message() {
  for (;;) {
    if (const std::size_t end = buffer_.find('\0'); end != std::string::npos) {
      const Json message = Json::parse(buffer_.substr(0, end));
      buffer_.erase(0, end + 1);
      return message;
    }
    pollfd ready{from_, POLLIN, 0};
    char bytes[65536];
    const ssize_t count = ::poll(&ready, 1, patience_ms) == 1 ? ::read(from_, bytes, sizeof bytes) : 0;
    if (count <= 0) throw std::runtime_error("the browser does not answer");
    buffer_.append(bytes, static_cast<std::size_t>(count));
  }
}

void Browser::note(const Json& message) {
  const std::string method = message.value("method", "");
  const Json params = message.value("params", Json::object());
  if (method == "Page.loadEventFired") loaded_ = true;
  if (method == "Runtime.exceptionThrown") complaints_.push_back(params.dump());
  if (method == "Runtime.consoleAPICalled" && (params["type"] == "error" || params["type"] == "warning"))
    complaints_.push_back(params.dump());
  if (method == "Log.entryAdded" && params["entry"]["level"] != "verbose")
    complaints_.push_back(params.dump());
  if (method == "Network.requestWillBeSent") {
    const std::string url = params["request"]["url"];
    if (url != "file://" + file_ && url.rfind("data:", 0) != 0) complaints_.push_back("asks for " + url);
  }
}

Browser::Json Browser::call(const std::string& method, Json params, bool of_page) {
  Json request{{"id", ++calls_}, {"method", method}, {"params", std::move(params)}};
  if (of_page) request["sessionId"] = session_;
  const std::string text = request.dump();
  for (std::size_t sent = 0; sent <= text.size();) {
    const ssize_t count = ::write(to_, text.c_str() + sent, text.size() + 1 - sent);
    if (count <= 0) throw std::runtime_error("the browser has gone");
    sent += static_cast<std::size_t>(count);
  }
  for (;;) {
    const Json message = next_message();
    if (!message.contains("id")) {
      note(message);
      continue;
    }
    if (message["id"] != calls_) continue;
    if (message.contains("error")) throw std::runtime_error(method + ": " + message["error"].dump());
    return message["result"];
  }
}

double Browser::open(const std::string& file) {
  file_ = std::filesystem::absolute(file).string();
  loaded_ = false;
  call("Page.navigate", {{"url", "file://" + file_}});
  while (!loaded_) note(next_message());
  return value("new Promise(done => requestAnimationFrame(() => setTimeout(() => done(performance.now()))))");
}

Browser::Json Browser::value(const std::string& expression) {
  const Json result =
      call("Runtime.evaluate", {{"expression", expression}, {"returnByValue", true}, {"awaitPromise", true}});
  if (result.contains("exceptionDetails"))
    throw std::runtime_error(expression + ": " + result["exceptionDetails"].dump());
  return result["result"].value("value", Json());
}

void Browser::hover(const std::string& selector) {
  const Json box = value("(() => { const node = document.querySelector(" + Json(selector).dump() +
                         "); node.scrollIntoView({block: 'center', behavior: 'instant'}); const box = "
                         "node.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / "
                         "2]; })()");
  value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))");
  for (const double off : {1.0, 0.0})
    call(
        "Input.dispatchMouseEvent",
        {{"type", "mouseMoved"}, {"x", box[0].get<double>() + off}, {"y", box[1]}, {"pointerType", "mouse"}});
  value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))");
}

void Browser::press(const std::string& key) {
  for (const char* type : {"rawKeyDown", "keyUp"})
    call("Input.dispatchKeyEvent", {{"type", type}, {"key", key}, {"code", key}});
}

void Browser::resize(int width, int height) {
  call("Emulation.setDeviceMetricsOverride",
       {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", false}});
}

void Browser::prefer_dark(bool dark) {
  const Json feature{{"name", "prefers-color-scheme"}, {"value", dark ? "dark" : "light"}};
  call("Emulation.setEmulatedMedia", {{"features", Json::array({feature})}});
  // It comes in time, and listeners are called in a frame; on a busy machine, in the next one.
  value("new Promise(done => { const look = () => matchMedia('(prefers-color-scheme: dark)').matches === " +
        std::string(dark ? "true" : "false") +
        " ? requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))) : setTimeout(look, "
        "5); look(); })");
}

void Browser::show_as_printed(bool printed, int width) {
  call("Emulation.setEmulatedMedia", {{"media", printed ? "print" : ""}});
  resize(width, 900);
  value("new Promise(done => setTimeout(done, 250))");  // the page draws again
  value(std::string("dispatchEvent(new Event('") + (printed ? "beforeprint" : "afterprint") + "'))");
  value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))");
}

void Browser::picture(const std::string& selector, const std::string& file) {
  const Json box = value("(() => { const box = document.querySelector(" + Json(selector).dump() +
                         ").getBoundingClientRect(); return [box.x + scrollX, box.y + scrollY, box.width, "
                         "box.height]; })()");
  const Json shot =
      call("Page.captureScreenshot",
           {{"format", "png"},
            {"captureBeyondViewport", true},
            {"clip", {{"x", box[0]}, {"y", box[1]}, {"width", box[2]}, {"height", box[3]}, {"scale", 1}}}});
  std::ofstream(file, std::ios::binary) << decoded(shot["data"].get<std::string>());
}

std::string Browser::print() {
  return decoded(call("Page.printToPDF", {{"printBackground", true}, {"preferCSSPageSize", true}})["data"]
                     .get<std::string>());
}

}  // namespace strata::tb
