# Sourced by tests/run, examples/run and tests/benchmark/run, which name themselves in $me first. Its function prepare
# leaves behind a configured build folder, $build, and a PATH that finds meson, ninja and nvcc, if any.
# A script that builds gpbench for CUDA says wants_newest_cub=1 first: then it has the newest CUB, too.
# All take from the environment:
#   GPUPRIMS_BUILD    another build folder than build/
#   GPUPRIMS_OPTIONS  options for meson setup, separated by spaces: -Dgpu_arch=sm_90 --werror
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${GPUPRIMS_BUILD:-$root/build}
venv=$root/build/venv
log=$build/setup.log

say() { printf '%s: %s\n' "$me" "$*" >&2; }
die() {
    say "$*"
    exit 1
}

# logged SENTENCE COMMAND...: runs the command with its output in the log; if it fails, ends with the
# sentence. In CI, where nobody can open the log afterwards, the log comes first.
logged() {
    local sentence=$1
    shift
    if ! "$@" </dev/null >>"$log" 2>&1; then
        [ -z "${CI-}" ] || cat "$log" >&2
        die "$sentence (its output is in $log)"
    fi
}

have_gpu() { nvidia-smi -L >/dev/null 2>&1; }
builds_cuda() { meson introspect --targets "$build" | grep '_cuda"' >/dev/null; }

apt_install() {
    local as_root=()
    command -v apt-get >/dev/null || die "something is missing here: please install what Debian calls $*"
    if [ "$(id -u)" != 0 ]; then
        sudo -n true 2>/dev/null || die "something is missing here: please run apt-get install $* as root"
        as_root=(sudo -n)
    fi
    say "installing $* with apt-get"
    logged 'apt-get update failed' "${as_root[@]}" apt-get update
    logged "apt-get could not install $*" "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends "$@"
}

# python_packages NAME PACKAGE...: a Python environment $build/NAME with these packages, as pip names them.
python_packages() {
    local folder=$build/$1 wanted
    shift
    wanted=$(printf '%s\n' "$@")
    [ "$wanted" != "$(cat "$folder/packages" 2>/dev/null)" ] || return 0
    python3 -c 'import ensurepip, venv' 2>/dev/null || apt_install python3-venv
    say "installing $* into $folder"
    logged 'cannot create a Python environment' python3 -m venv "$folder"
    logged "pip could not install $*, which takes a network connection" \
        "$folder/bin/python" -m pip install --disable-pip-version-check "$@"
    echo "$wanted" >"$folder/packages"
}

# Not only there: Debian has gcc without the headers of the C library, and meson older than 1.4.
compiler_works() { echo '#include <stdio.h>' | "$CC" -x c -c - -o /dev/null 2>/dev/null; }
meson_is_new_enough() {
    local version
    version=$(meson --version 2>/dev/null) && printf '1.4\n%s\n' "$version" | sort -VC
}
newest_cub() { "$root/tests/benchmark/newest_cub" "$@"; }
build_tools_work() { meson_is_new_enough && ninja --version >/dev/null 2>&1; }

prepare() {
    mkdir -p "$build" || die "cannot create the folder $build"
    : >"$log" || die "cannot write to $build"

    # The C of the CPU backend is gcc's, whatever cc is here.
    export CC=${CC:-gcc}
    PATH=$venv/bin:$PATH
    if ! command -v nvcc >/dev/null && [ -x /usr/local/cuda/bin/nvcc ]; then
        PATH=$PATH:/usr/local/cuda/bin
    fi

    local packages=()
    compiler_works || packages+=(gcc g++ libc6-dev)
    build_tools_work || python3 -c 'import ensurepip, venv' 2>/dev/null || packages+=(python3 python3-venv)
    [ ${#packages[@]} = 0 ] || apt_install "${packages[@]}"
    compiler_works || die "the C compiler $CC does not work: please install gcc, or set CC to it"
    if ! build_tools_work; then
        say "installing meson and ninja into $venv"
        logged 'cannot create a Python environment' python3 -m venv --clear "$venv"
        logged 'pip could not install meson and ninja, which take a network connection' \
            "$venv/bin/python" -m pip install --disable-pip-version-check 'meson>=1.4' ninja
    fi

    local again=()
    if [ ! -e "$build/build.ninja" ]; then
        say "configuring $build"
    elif [ -n "$(find "$root"/{gpuprims,tests,examples} -type d -newer "$build/build.ninja")" ]; then
        again=(--reconfigure) # Meson lists these folders, and does not see that a file has come or gone
    fi
    if [ "${wants_newest_cub-}" ] && command -v nvcc >/dev/null && [ -z "$(newest_cub "$venv")" ]; then
        say "installing the newest CUB into $venv"
        if ! newest_cub install "$venv" </dev/null >>"$log" 2>&1; then
            say "pip could not install it (its output is in $log): the CUDA Toolkit's is the only CUB"
        elif [ -e "$build/build.ninja" ]; then
            again=(--reconfigure)
        fi
    fi
    # shellcheck disable=SC2086 # several options
    logged 'meson could not configure the build' meson setup "${again[@]}" "$build" "$root" ${GPUPRIMS_OPTIONS:-}
}
