#!/bin/bash
# A program whose own sc_time comes too early is refused in one sentence, with the remedy. Usage: early_time_test.sh PROGRAM
source "$(dirname "$0")/expect.sh"
output=$("$strata" modules 2>&1)
code=$?
[ $code -eq 1 ] || complain "exit code $code"
[ "$output" = "strata: the time resolution of SystemC is 1 ps and cannot be set to 1 fs any more: make no sc_time, nor a static one, \
before run_program(), or call sc_set_time_resolution(1, SC_FS) before the first" ] || complain "$output"
exit $failed
