#!/bin/bash
# How far lt is from at, and how much faster, on all sample traces and random traffic: some minutes.
# Usage: lt_tables.sh PROGRAM [OPTION OF strata compare...]
set -eu
cd "$(dirname "$0")/../.."
strata=$1
shift
exec "$strata" compare --lt-bars "$@"
