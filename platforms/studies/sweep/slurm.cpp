#include "platforms/studies/sweep/slurm.h"

#include <sstream>

#include "models/common/faults.h"
#include "platforms/engine/session/command.h"

namespace strata::platforms {
namespace {

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

}  // namespace

Slurm::Slurm() {
  for (const char* name : {"sbatch", "squeue", "scancel"})
    if (!is_command(name))
      throw ConfigError(std::string("--on slurm: no command '") + name +
                        "' here: is this a machine from which jobs are submitted?");
}

std::string Slurm::submit(const std::string& script, const std::vector<std::size_t>& tasks,
                          const std::vector<std::string>& options) const {
  std::vector<std::string> words = {"sbatch", "--parsable", "--array=" + range_list(tasks)};
  words.insert(words.end(), options.begin(), options.end());
  words.push_back(script);
  const CommandOutput answer = output_of(words);
  if (answer.code != 0)
    throw ConfigError("--on slurm: sbatch has refused the job (exit code " + std::to_string(answer.code) +
                      ")");
  const std::string line = first_line(answer.text);
  return line.substr(0, line.find(';'));  // the name of a cluster may follow
}

// Query all jobs of the user: squeue --job fails for a job that has ended.
Slurm::Queue Slurm::queue(const std::string& job) const {
  const CommandOutput answer = output_of({"squeue", "--me", "--noheader", "--array", "--format=%F %T"});
  Queue queue;
  queue.known = answer.code == 0;
  std::istringstream lines(answer.text);
  for (std::string number, state; lines >> number >> state;) {
    if (number != job) continue;
    ++(state == "PENDING" || state == "REQUEUED" ? queue.waiting : queue.running);
  }
  return queue;
}

void Slurm::cancel(const std::string& job) const {
  output_of({"scancel", "--quiet", job});
}

std::string range_list(const std::vector<std::size_t>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(numbers[i]);
    if (last != i) text += "-" + std::to_string(numbers[last]);
    i = last + 1;
  }
  return text;
}

}  // namespace strata::platforms
