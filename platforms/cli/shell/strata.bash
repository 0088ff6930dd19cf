# Completion of `strata` for bash: verbs and options as --help tells them, platforms and workloads as the program knows them,
# files for all else. Installed, it is loaded when it is first needed; in the tree: source platforms/cli/shell/strata.bash

_strata_verbs() {  # of a --help
  sed -n '/^examples/q; s/^  \([a-z][a-z-]*\):\{0,1\} .*/\1/p'
}

_strata() {
  local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  local verb=${COMP_WORDS[1]} words=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="$("$program" --help 2>/dev/null | _strata_verbs) --help --version"
  elif [ "$verb" = trace ] && [ "$COMP_CWORD" -eq 2 ]; then
    words=$("$program" trace --help 2>/dev/null | _strata_verbs)
  elif [[ $word == -* ]]; then
    [ "$verb" = trace ] && [ "$COMP_CWORD" -gt 2 ] && verb="trace ${COMP_WORDS[2]}"
    # shellcheck disable=SC2086 # one or two words
    words=$("$program" $verb --help 2>/dev/null | sed -n 's/^  \(-[a-z] \[ \)\{0,1\}\(--[a-z0-9-]*\).*/\2/p')
  elif [ "$before" = --workload ]; then
    words=$("$program" trace workloads 2>/dev/null | sed -n 's/^\([a-z][a-z0-9_]*\) .*/\1/p')
  elif [ "$COMP_CWORD" -eq 2 ] && [[ " run multi area netlist probe interference headroom explain " == *" $verb "* ]]; then
    # The program names all it comes with when it is asked for one that cannot be.
    words=$("$program" netlist '?' 2>&1 | sed -n 's/.*it comes with //p' | tr -d ,)
  fi
  while IFS= read -r reply; do COMPREPLY+=("$reply"); done < <(compgen -W "$words" -- "$word")
  [ ${#COMPREPLY[@]} -ne 0 ] || while IFS= read -r reply; do COMPREPLY+=("$reply"); done < <(compgen -f -- "$word")
}
complete -o filenames -o bashdefault -F _strata strata
