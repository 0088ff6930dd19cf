#!/bin/bash
# The machine of the adaptive LLC paper behind five crossbars of equal bisection and two kinds of router, on sample
# traces: prints the table of docs/methods/validation.md. Nothing is judged.
# Usage: crossbar_tables.sh PROGRAM [--update DOC | --check DOC]
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/page_table.sh"
cd "$(dirname "$0")/../.."
strata=$1 action=${2:-} doc=${3:-}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
traces="vectoradd_640 stride128_32M hotline_l2 matmul_512"

# ours NAME FIGURE: from the summary of a run.
ours() { sed -n "/\"summary\": {/,/}/s/^ *\"$2\": \([0-9.]*\),*$/\1/p" "$folder/$1/stats.json"; }
# settings ROUTER INSTANCE...: options that make the routers of these instances of one kind. Concentrators and
# distributors have one pipeline stage, so that there is none to save.
settings() {
  local instance
  [ "$1" = strict ] && return
  for instance in "${@:2}"; do
    echo "--set $instance.speedup=2 --set $instance.vc_flits=64"
    case $instance in con | dis) ;; *) echo "--set $instance.lookahead=true" ;; esac
  done
}
# widths BYTES BY: a crossbar concentrated by BY whose channels are wide enough for the bisection of the others.
widths() {
  echo "--set con.inputs=$2 --set dis.outputs=$2"
  for instance in con xbar dis; do echo "--set $instance.channel_bytes=$1"; done
}
# row NAME PLATFORM ROUTER OPTIONS...
row() {
  local t line="| $1 | $3"
  local options=("${@:4}")
  for t in $traces; do
    # shellcheck disable=SC2086
    "$strata" run "$2" --trace "traces/samples/$t" --quiet --out "$folder/run" "${options[@]}" >/dev/null
    [ -e "$folder/ipc-$t" ] || ours run ipc >"$folder/ipc-$t"
    line+=" | $(awk -v i="$(ours run ipc)" -v r="$(cat "$folder/ipc-$t")" -v p="$(ours run llc_response_rate)" \
      'BEGIN { printf (i < 100 ? "%.2f" : "%.0f") " (%+.0f %%), %.2f", i, 100 * (i - r) / r, p }')"
  done
  echo "$line |"
}

table() {
  local router
  echo "| network | router | ${traces// / | } |"
  echo "| --- | --- | --- | --- | --- | --- |"
  for router in strict GPGPU-Sim-like; do
    # shellcheck disable=SC2046
    {
      row "H-Xbar" isca19/shared $router $(settings $router smr mcr)
      row "full, 80 x 64" isca19/full_crossbar $router $(settings $router xbar)
      row "C-Xbar by 2, 64 B" isca19/concentrated_crossbar $router $(settings $router con xbar dis) $(widths 64 2)
      row "C-Xbar by 4, 128 B" isca19/concentrated_crossbar $router $(settings $router con xbar dis) $(widths 128 4)
      row "C-Xbar by 8, 256 B" isca19/concentrated_crossbar $router $(settings $router con xbar dis) $(widths 256 8)
    }
  done
}

table >"$folder/table"
case $action in
  --update) put_table "$doc" crossbars "$folder/table" ;;
  --check) is_table "$doc" crossbars "$folder/table" ;;
  *) cat "$folder/table" ;;
esac
