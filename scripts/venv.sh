# shellcheck shell=sh
# Sourced by the scripts beside it, after they set `root` (this checkout, absolute). POSIX sh.
#
#   prepare EXTRAS NAME [ALSO]   makes $root/.venv hold the project (editable) with its EXTRAS ("" or "[dev,png]"),
#                                at the versions of constraints.txt. Returns at once where it does so already.
#
# What was installed is remembered in .venv/.zim/NAME: the path of the checkout, and copies of the two files that decide
# what is installed, with their times. ALSO is a smaller set that the same installation serves. While one is on,
# .venv/.unfinished is there; a venv found with it is made anew, since pip takes a half-written package for a whole one.

venv=$root/.venv
unfinished=$venv/.unfinished

prepare() {
    current "$2" && return
    # The lock lasts as long as descriptor 9, which pip inherits: until the last process that writes to the venv is gone.
    exec 9<"$root/scripts"
    python=$(find_python) || exit 1
    wait_for_lock || exit 1
    current "$2" || touched "$2" || install "$@" || exit 1
    exec 9<&-
}

# Is what NAME needs installed? File times tell, and no process is started: this runs before every command.
current() {
    here "$1" && same_time "$1" pyproject.toml "$root" && same_time "$1" constraints.txt "$root/scripts"
}

here() { # installed, and not moved since: the programs of a venv name their interpreter by its path
    [ -x "$venv/bin/zim" ] && [ -x "$venv/bin/python" ] && [ -r "$venv/.zim/$1/root" ] &&
        IFS= read -r made_for <"$venv/.zim/$1/root" && [ "$made_for" = "$root" ]
}

same_time() {
    [ ! "$3/$2" -nt "$venv/.zim/$1/$2" ] && [ ! "$3/$2" -ot "$venv/.zim/$1/$2" ]
}

touched() { # only the times are new, as after `git checkout` there and back
    here "$1" && [ ! -e "$unfinished" ] &&
        cmp -s "$root/pyproject.toml" "$venv/.zim/$1/pyproject.toml" &&
        cmp -s "$root/scripts/constraints.txt" "$venv/.zim/$1/constraints.txt" &&
        snapshot "$venv/.zim/$1"
}

snapshot() {
    cp -p "$root/pyproject.toml" "$root/scripts/constraints.txt" "$1/" && printf '%s\n' "$root" >"$1/root"
}

find_python() {
    for candidate in python3 python3.14 python3.13 python3.12 python3.11; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            printf '%s\n' "$candidate"
            return
        fi
    done
    found=$(python3 --version 2>/dev/null) || found="no python3"
    fail "zim needs Python 3.11 or newer and found $found." "Install one, as python3 or python3.11 on the PATH."
}

wait_for_lock() { # in Python, since not every system has flock(1); the lock stays with our descriptor
    "$python" -c '
import fcntl, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
try:
    fcntl.flock(9, fcntl.LOCK_EX | fcntl.LOCK_NB)
except BlockingIOError:
    print("zim: waiting for another installation ...", file=sys.stderr)
    fcntl.flock(9, fcntl.LOCK_EX)
'
}

install() { # install EXTRAS NAME [ALSO]
    note "installing into $venv (once; later runs need no network) ..."
    if sound; then fresh=; else fresh=yes && rm -rf "$venv"; fi
    if mkdir -p "$unfinished" && snapshot "$unfinished" && fill "$1" >"$unfinished/log" 2>&1 </dev/null; then
        finish "$2" && { [ -z "${3-}" ] || remember_also "$2" "$3"; } && return
    fi
    [ ! -r "$unfinished/log" ] || cat "$unfinished/log" >&2
    [ -z "$fresh" ] || rm -rf "$venv"
    fail "the installation failed; the reason is above." \
        "A first run needs the package registry (and on Debian the package python3-venv). Then type the same again."
}

sound() { # a venv that can be added to: finished, and made at this place
    [ -x "$venv/bin/python" ] && [ ! -e "$unfinished" ] || return
    for made in "$venv"/.zim/*/root; do
        [ ! -e "$made" ] || { IFS= read -r made_for <"$made" && [ "$made_for" = "$root" ]; } || return
    done
}

# The build backend comes first and pinned like the rest, and the project is built with it, not with an isolated newest
# one: what was tested is what builds, and a change of pyproject.toml that needs no new package installs offline.
fill() {
    [ -x "$venv/bin/python" ] || "$python" -m venv "$venv" || return
    pip_install hatchling && pip_install --no-build-isolation --editable "$root$1" && compile_ours
}

# As pip does with all it installs, only not with what is editable: where Python may write no bytecode, each start would
# compile all of it anew.
compile_ours() {
    "$venv/bin/python" -m compileall -q "$root/zimcli" "$root/zimcore" "$root/event_store"
}

pip_install() {
    if command -v uv >/dev/null; then
        uv pip install --quiet --python "$venv/bin/python" --constraint "$root/scripts/constraints.txt" "$@" && return
        echo "(that was uv; now pip)"
    fi
    PIP_USER=0 "$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
        --constraint "$root/scripts/constraints.txt" "$@"
}

finish() { # the rename is the moment from which the installation counts
    rm -rf "$venv/.zim/$1" && mkdir -p "$venv/.zim" && rm -f "$unfinished/log" && mv "$unfinished" "$venv/.zim/$1"
}

remember_also() {
    rm -rf "$venv/.zim/$2" && cp -Rp "$venv/.zim/$1" "$venv/.zim/$2"
}

note() { printf 'zim: %s\n' "$1" >&2; }

fail() {
    note "$1"
    printf '     %s\n' "$2" >&2
    return 1
}
