# Completion of the command `ensue` in fish. Commands, options and what they take are read from --help, methods from
# `ensue methods`: nothing is listed here a second time.

function __ensue
    set -l program (commandline -opc)[1]
    set -l tree (string replace -r '/[^/]*$' '' -- $program)
    # The launcher in a source tree builds what has changed; what it has built answers in its place.
    test -e $tree/CMakeLists.txt; and set program $tree/build/release/bin/ensue
    $program $argv 2>/dev/null
end

# Lines of the help text of the command that is being typed, as name<tab>description.
function __ensue_described
    __ensue $argv[2..] --help | sed -n $argv[1]'s/^  \(-[a-z],\)\{0,1\}\([a-z-]*\) \{0,1\}[^ ]*   *\(.*\)/\2\t\3/p'
end

# What the option before the cursor takes: NAME, F.svg, …; nothing after a flag or a file.
function __ensue_argument
    set -l words (commandline -opc)
    string match -q -- '--*' $words[-1]; or return
    __ensue $words[2] --help | sed -n "s/^  $words[-1] \([^ ]*\) .*/\1/p"
end

function __ensue_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    if test (count $words) -eq 1
        __ensue_described '/^Commands:/,/^$/'
        return
    end
    switch (__ensue_argument; or echo)
        case NAME
            __ensue methods --json | sed -n 's/^[[ ]*{"name":"\([^"]*\)".*/\1/p'
        case '*.svg'
            __fish_complete_suffix .svg
        case '*.csv*'
            __fish_complete_suffix .csv
            __fish_complete_suffix .json
        case FILE
            __fish_complete_suffix .toml
        case ''
            string match -q -- '-*' $word; and __ensue_described '/^Options:/,/^$/' $words[2]
            or __fish_complete_suffix .toml
    end
end

complete -c ensue -f -a '(__ensue_complete)'
