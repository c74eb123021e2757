# Completion of the command `ensue` in bash. Commands, options and what they take are read from --help, methods from
# `ensue methods`: nothing is listed here a second time. To try it: source apps/ensue/completion/ensue.bash

# Lines of --help: "  --method NAME   …" is an option, "  solve   …" in the list of commands a command.
_ensue_options() { "$@" --help 2>/dev/null | sed -n 's/^  \(-[a-z],\)\{0,1\}\(--[a-z-]*\).*/\2/p'; }
_ensue_commands() { "$1" --help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'; }
_ensue_argument() { "$1" "$2" --help 2>/dev/null | sed -n "s/^  $3 \([^ ]*\) .*/\1/p"; }
_ensue_methods() { "$1" methods --json 2>/dev/null | sed -n 's/^[[ ]*{"name":"\([^"]*\)".*/\1/p'; }

# What of standard input begins with the word, quoted for the shell: doubling\(rk4\).
_ensue_offer() {
  local word=${1//\\/} line
  while IFS= read -r line; do
    [[ $line == "$word"* ]] && COMPREPLY+=("$(printf %q "$line")")
  done
}

# Files whose names end so, and folders on the way to them.
_ensue_files() {
  local word=$1 end
  shift
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(for end; do compgen -f -X "!*.$end" -- "$word"; done; compgen -d -- "$word")
}

_ensue() {
  local program=$1 word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
  COMPREPLY=()
  # The launcher in a source tree builds what has changed; what it has built answers in its place.
  [ -e "${program%/*}/CMakeLists.txt" ] && program=${program%/*}/build/release/bin/ensue
  if [ "$COMP_CWORD" -eq 1 ]; then
    _ensue_offer "$word" < <(_ensue_commands "$program"; [[ $word == -* ]] && _ensue_options "$program")
    return
  fi
  local argument=
  [[ $before == --* ]] && argument=$(_ensue_argument "$program" "$command" "$before")
  case $argument in
    NAME) _ensue_offer "$word" < <(_ensue_methods "$program") ;;
    *.svg) _ensue_files "$word" svg ;;
    *.csv*) _ensue_files "$word" csv json ;;
    FILE) _ensue_files "$word" toml ;;
    ?*) ;;  # a number of the user's
    *)
      if [[ $word == -* ]]; then _ensue_offer "$word" < <(_ensue_options "$program" "$command")
      else _ensue_files "$word" toml; fi
      ;;
  esac
}

complete -F _ensue ensue
