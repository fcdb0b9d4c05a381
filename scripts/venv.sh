# shellcheck shell=sh
# Sourced by the scripts in this folder, after they set `root` (this checkout, an absolute path). POSIX sh.
#   prepare SET    installs the project (editable) and requirements-SET.txt into $root/.venv; the set test includes run
# .venv/zim records an installation: the path of the checkout, and copies of the files that decide it, with their times.
# A venv without it is recreated: the installation was interrupted, and pip takes a half-written package for a whole.

venv=$root/.venv
installed=$venv/zim

prepare() {
    current "$1" && return
    find_python
    echo "zim: installing into $venv (this is done once; later runs need no network) ..." >&2
    exec 9<"$root/scripts" # pip inherits this file: the lock lasts until the last process that writes to the venv has ended
    "$python" -c 'import fcntl, signal; signal.signal(signal.SIGINT, signal.SIG_DFL); fcntl.flock(9, fcntl.LOCK_EX)' || exit
    current "$1" || said=$(install "$1" 2>&1 </dev/null) ||
        fail "$said" "zim: the installation failed; the reason is above. It needs the package registry (and without uv, on" \
            "     Debian, the package python3-venv). Then type the same again."
    exec 9<&-
}

current() { # only compares file times and starts no process, because it runs before every command
    here && [ -x "$venv/bin/zim" ] && same pyproject.toml &&
        { same "scripts/requirements-$1.txt" || same scripts/requirements-test.txt; }
}

here() { # the programs of a venv contain the path of their interpreter, which is wrong after a checkout was moved
    [ -x "$venv/bin/python" ] && [ -r "$installed/root" ] && IFS= read -r place <"$installed/root" && [ "$place" = "$root" ]
}

same() { # neither newer nor older than the copy: a file unpacked from an archive has the old time of the archive
    copy=$installed/${1##*/}
    [ -e "$copy" ] && [ ! "$root/$1" -nt "$copy" ] && [ ! "$root/$1" -ot "$copy" ]
}

find_python() {
    for python in python3 python3.14 python3.13 python3.12 python3.11; do
        "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && return
    done
    fail "zim needs Python 3.11 or newer and found $(python3 --version 2>/dev/null || echo no python3)." \
        "Install one, as python3 or python3.11 on the PATH."
}

install() {
    uv=$(command -v uv) || uv=
    # An environment that uv filled has no pip.
    { here && [ "$uv" -o -x "$venv/bin/pip" ]; } || "$python" -m venv --clear ${uv:+--without-pip} "$venv" || return
    rm -rf "$installed" && mkdir "$installed.new" && printf '%s\n' "$root" >"$installed.new/root" &&
        cp -p "$root/pyproject.toml" "$root/scripts/requirements-$1.txt" "$installed.new/" &&
        pip_install --require-hashes --requirement "$root/scripts/requirements-$1.txt" &&
        # The project has no hash; its build tool is pinned above. Pip does not compile an editable project.
        pip_install --no-deps --no-build-isolation --editable "$root" && link_relatively &&
        "$venv/bin/python" -m compileall -q "$root/zimcli" "$root/zimcore" "$root/event_store" &&
        mv "$installed.new" "$installed" # from here on the installation is valid
}

link_relatively() { # Python 3.11 reads a .pth file in the encoding of the locale, and does not start if it can't
    for link in "$venv"/lib/python3*/site-packages/_great_zim.pth; do
        [ -e "$link" ] || continue
        rm "$link" && printf '%s\n' ../../../.. >"$link" || return # a new file: uv shares the old one with its cache
    done
}

pip_install() {
    if [ "$uv" ]; then uv pip install --quiet --python "$venv/bin/python" "$@"; else
        PIP_USER=0 "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "$@"
    fi
}

fail() { printf '%s\n' "$@" >&2; exit 1; }
