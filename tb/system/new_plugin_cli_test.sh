#!/bin/bash
# What `strata new-plugin` writes and refuses; system_install builds what it writes. Usage: new_plugin_cli_test.sh PROGRAM
# shellcheck source=tb/system/expect.sh
. "$(dirname "$0")/expect.sh" "$(realpath "$1")"
expect 0 "strata new-plugin dram_scheduler batches" new-plugin --help
expect 0 "models/memory_controller/dram_scheduler.h" new-plugin
cd "$folder" || exit 1
expect 0 "--plugin fast/build/fast.so --set mc.scheduler=fast" new-plugin dram_scheduler fast
for file in fast.cpp CMakeLists.txt fast.yaml; do
  grep -qE 'my_plugin|MyPlugin' "fast/$file" && complain "a placeholder is left in $file"
  grep -q fast "fast/$file" || complain "$file does not name the plug-in"
done
grep -q 'class Fast final : public strata::DramScheduler' fast/fast.cpp || complain "no class of its own"
expect 0 "here/two_words.cpp" new-plugin row-policy two_words here
grep -q 'class TwoWords final' here/two_words.cpp || complain "no class of two words"

# What is there stays, all of it.
echo mine >fast/fast.cpp
rm fast/fast.yaml
expect 1 "fast/fast.cpp is there; nothing was written" new-plugin dram_scheduler fast
[ "$(cat fast/fast.cpp)" = mine ] || complain "a file was overwritten"
[ -e fast/fast.yaml ] && complain "a file was written beside one that was there"
ln -s nowhere link
expect 1 "link" new-plugin trace ring link
expect 1 "no kind 'dram_schedular' (did you mean 'dram_scheduler'?)" new-plugin dram_schedular fast
expect 1 "no kind 'x'; allowed: replacement, prefetcher, warp_scheduler" new-plugin x fast
expect 1 "expected a name behind trace" new-plugin trace
expect 1 "'fr_fcfs' is a dram_scheduler of Strata; choose another name" new-plugin dram_scheduler fr_fcfs
expect 1 "'Fast' cannot be a name; allowed: a small letter" new-plugin trace Fast
expect 1 "'../x' cannot be a name" new-plugin trace ../x
expect 1 "'' cannot be a name" new-plugin trace ''
expect 1 "'test' is a target of CMake itself" new-plugin trace test
exit $failed
