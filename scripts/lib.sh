# shellcheck shell=bash
# The functions that the scripts share. Sourced, not run; the sourcing script has `set -euo pipefail` on.
# Written for bash 3.2 too, which is what macOS has.

# The package's folder, wherever the script was called from.
# shellcheck disable=SC2034 # the sourcing scripts use it
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# The folder that packages are built in: another one for a script that builds beside others, because SwiftPM builds one thing
# at a time in a folder.
builds=${ENTITYCLIENT_BUILDS:-$root/.build}

say() {
  printf '==> %s\n' "$*"
}

stop() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# Stops unless Swift is there and new enough for Package.swift.
need_swift() {
  local where='see https://www.swift.org/install/'
  command -v swift >/dev/null || stop "Swift 6.2 or newer is needed, and there is none: $where"
  local text version major minor
  text=$(swift --version 2>/dev/null </dev/null) || stop "swift --version failed; to install Swift anew, $where"
  version=$(sed -nE 's/.*Swift version ([0-9]+)\.([0-9]+).*/\1 \2/p' <<<"$text")
  [[ -n $version ]] || stop "swift --version names no version; $where"
  read -r major minor <<<"${version%%$'\n'*}"
  if ((major < 6 || (major == 6 && minor < 2))); then
    stop "Swift 6.2 or newer is needed, and this is $major.$minor: $where"
  fi
}

# Whether a C header is where compilers look on Linux.
has_header() {
  local folder
  for folder in /usr/include /usr/local/include /usr/include/*-linux-*; do
    [[ -e $folder/$1 ]] && return 0
  done
  return 1
}

# Installs the C libraries and tools that are missing, when it may: as root, or on CI. Else stops with the command.
# Arguments are further commands that are needed; Debian's packages have their names. An argument with a colon is a
# header, or the path of a file, and the package that has it. One that begins with "ruby:" is a library of Ruby, and its
# package.
need_packages() {
  # On Apple's systems the SDK has them all.
  [[ $(uname -s) == Linux ]] || return 0
  local missing=()
  command -v git >/dev/null || missing+=(git)
  has_header sqlite3.h || missing+=(libsqlite3-dev)
  # Any of Debian's variants of libcurl serves; they exclude one another, so one that is there is left alone.
  has_header curl/curl.h || missing+=(libcurl4-openssl-dev)
  has_header zlib.h || missing+=(zlib1g-dev)
  local tool
  for tool in "$@"; do
    case $tool in
      # Debian's Python has the module, and not what it installs.
      python3-venv) python3 -c 'import ensurepip' >/dev/null 2>&1 || missing+=("$tool") ;;
      ruby:*:*)
        # shellcheck disable=SC2016 # Ruby expands it
        ruby -e 'require ARGV[0]' "$(cut -d: -f2 <<<"$tool")" >/dev/null 2>&1 || missing+=("${tool##*:}")
        ;;
      /*:*) [[ -e ${tool%%:*} ]] || missing+=("${tool##*:}") ;;
      *:*) has_header "${tool%%:*}" || missing+=("${tool##*:}") ;;
      *) command -v "$tool" >/dev/null || missing+=("$tool") ;;
    esac
  done
  ((${#missing[@]} > 0)) || return 0

  if ! command -v apt-get >/dev/null; then
    stop "install git and the development files of SQLite 3, libcurl and zlib with this system's package manager" \
      "(Debian calls what is missing: ${missing[*]})"
  fi
  local as_root=()
  if ((EUID != 0)); then
    if [[ ${CI:-} == true ]] && command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
      as_root=(sudo -n)
    else
      stop "packages are missing; to install them: sudo apt-get update && sudo apt-get install -y ${missing[*]}"
    fi
  fi
  say "Installing ${missing[*]}"
  # "${a[@]+…}": an empty array is an unset variable to bash 3.2. sudo takes no environment along, env gives it.
  local apt=(${as_root[@]+"${as_root[@]}"} env DEBIAN_FRONTEND=noninteractive apt-get -q -o Dpkg::Use-Pty=0)
  quietly "${apt[@]}" update
  quietly "${apt[@]}" install -y --no-install-recommends "${missing[@]}"
}

# Makes a Python environment in .build/python/NAME with exactly what scripts/requirements/NAME.txt lists, which names all
# packages that are needed, with their versions. It is made anew when the list changes, and when the folder or Python does:
# an environment has the paths of both in its files.
need_python_packages() {
  local list=$root/scripts/requirements/$1.txt folder=$root/.build/python/$1
  mkdir -p "$root/.build/python"
  (
    # One at a time, where the system has the command: two scripts may want the same environment.
    ! command -v flock >/dev/null || flock 9
    stamp=$(printf '%s\n' "$folder" "$(python3 --version 2>&1)" && cat "$list")
    [[ $stamp != "$(cat "$folder/installed.txt" 2>/dev/null)" ]] || exit 0
    say "Installing the Python packages of ${list#"$root/"}"
    rm -rf "$folder"
    quietly python3 -m venv "$folder"
    quietly "$folder/bin/pip" install --disable-pip-version-check --no-deps -r "$list"
    printf '%s\n' "$stamp" >"$folder/installed.txt"
  ) 9>"$root/.build/python/$1.lock"
}

# Names in ENTITYCLIENT_PYTHON a Python with Werkzeug, whose parsers read what the tests of forms send. Without a network
# the tests go on with what Python has: nothing but CI insists.
need_form_parsers() {
  if [[ ${CI:-} == true ]]; then
    need_python_packages forms
  else
    (need_python_packages forms) >/dev/null 2>&1 || return 0
  fi
  export ENTITYCLIENT_PYTHON=$root/.build/python/forms/bin/python3
}

# Prints a TCP port that nobody listens on at 127.0.0.1.
free_port() { free_ports 1; }

# Prints $1 different ones, with spaces between them: each is held until all are there.
free_ports() {
  python3 - "$1" <<'PYTHON'
import socket, sys
held = [socket.create_server(("127.0.0.1", 0)) for _ in range(int(sys.argv[1]))]
print(*(s.getsockname()[1] for s in held))
PYTHON
}

servers=()

# Starts a server in the background, and waits until a GET of a URL is answered with 200. The script stops when that takes
# more than a minute, or the server ends before; what it said is then shown. The caller has a trap for EXIT that calls
# stop_servers, so that it ends with the script, however that ends.
# Arguments: a name, the URL, a file for what the server says, and its command.
start_server() {
  local name=$1 url=$2 log=$3
  shift 3
  say "Starting $name"
  # In a process group of its own, so that what the server starts ends with it.
  set -m
  "$@" >"$log" 2>&1 </dev/null &
  local server=$!
  set +m
  # Else bash tells that it was killed.
  disown "$server"
  servers+=("$server")
  python3 - "$url" "$server" <<'PYTHON' || stop "$name did not start:"$'\n'"$(tail -n 40 "$log")"
import os, sys, time, urllib.request
url, server = sys.argv[1], int(sys.argv[2])
# No proxy is asked for what is on this machine.
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
deadline = time.monotonic() + 60
while time.monotonic() < deadline:
    try:
        os.kill(server, 0)
    except OSError:
        break
    try:
        opener.open(url, timeout=5).close()
        sys.exit()
    except OSError:
        time.sleep(0.1)
sys.exit(1)
PYTHON
}

# Killed: nothing of them is kept, and none can refuse.
stop_servers() {
  local server
  for server in ${servers[@]+"${servers[@]}"}; do
    kill -KILL -- "-$server" 2>/dev/null || true
  done
}

# Runs a command that asks nothing, and shows what it said only when it fails.
quietly() {
  local output
  output=$("$@" 2>&1 </dev/null) || stop "'$*' failed:"$'\n'"$output"
}

# Sets `package` to swift's options for the package in the folder $1. It is built in the folder of the package above, with
# the same arguments, so that what both need is compiled once, and with the versions that are chosen there.
use_package() {
  # shellcheck disable=SC2034 # the sourcing scripts use it
  package=(--package-path "$root/$1" --scratch-path "$builds")
  local chosen=$root/Package.resolved own=$root/$1/Package.resolved
  if [[ -e $chosen && (! -e $own || $chosen -nt $own) ]]; then cp "$chosen" "$own"; fi
}

# Builds the macro's plugin, and has the manifests take it as it is: a build would otherwise compile swift-syntax, in release
# for longer than all else. It is built once for a script and those that the script runs.
use_plugin() {
  [[ -z ${ENTITYCLIENT_PLUGIN:-} ]] || return 0
  say "Building the macro's plugin"
  if build_plugin_library; then
    ENTITYCLIENT_PLUGIN=-load-plugin-library=$plugin_library
  else
    local build=(build --package-path "$root" --product EntityMacrosPlugin) tool
    run_swift "${build[@]}" || stop "the macro's plugin does not build: see above"
    tool=$(swift "${build[@]}" --show-bin-path </dev/null)/EntityMacrosPlugin-tool
    [[ -x $tool ]] || stop "the macro's plugin is not where it was expected: $tool"
    # A copy: a build beside the caller's may link the tool again.
    mkdir -p "$root/.build/plugin"
    cp -f "$tool" "$root/.build/plugin/"
    ENTITYCLIENT_PLUGIN=-load-plugin-executable=$root/.build/plugin/EntityMacrosPlugin-tool#EntityMacrosPlugin
  fi
  export ENTITYCLIENT_PLUGIN
}

# Builds the plugin as a library that the compiler loads, on the optimized swift-syntax of the toolchain; fails where the
# toolchain has none. The plugin of a debug build is slower, and is a process that the compiler asks by messages.
build_plugin_library() {
  local host folder=$root/.build/plugin file stamp sources=()
  plugin_library=$folder/libEntityMacrosPlugin.so
  host=$(swift -print-target-info | sed -nE 's/.*"runtimeResourcePath": "(.*)".*/\1/p')/host
  [[ -e $host/SwiftSyntaxMacros.swiftmodule && -e $host/libSwiftSyntaxMacros.so ]] || return 1
  # A library needs no entry of a program.
  for file in "$root"/Sources/EntityMacrosPlugin/*.swift; do [[ $file == */Plugin.swift ]] || sources+=("$file"); done
  mkdir -p "$folder"
  (
    # One at a time, where the system has the command: two scripts may want it.
    ! command -v flock >/dev/null || flock 9
    stamp=$(
      {
        printf '%s\n' "$host"
        swift --version
        declare -f build_plugin_library
        cat "${sources[@]}"
      } 2>&1 | cksum
    )
    [[ ! -e $plugin_library || $stamp != "$(cat "$plugin_library.txt" 2>/dev/null)" ]] || exit 0
    rm -f "$plugin_library.txt"
    if ! swiftc -O -whole-module-optimization -parse-as-library -swift-version 6 -emit-library \
      -module-name EntityMacrosPlugin \
      -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault \
      -enable-upcoming-feature NonisolatedNonsendingByDefault -enable-upcoming-feature MemberImportVisibility \
      -I "$host" -L "$host" -Xlinker -rpath -Xlinker "$host" \
      -lSwiftSyntax -lSwiftSyntaxMacros -lSwiftSyntaxBuilder -lSwiftDiagnostics -lSwiftParser \
      -o "$plugin_library.new" "${sources[@]}" >"$plugin_library.log" 2>&1 </dev/null; then
      say "The plugin does not build as a library (${plugin_library#"$root/"}.log says why), so a slower one is taken"
      exit 1
    fi
    # A compiler that runs keeps the file that it has loaded.
    mv -f "$plugin_library.new" "$plugin_library"
    printf '%s\n' "$stamp" >"$plugin_library.txt"
  ) 9>"$folder/lock"
}

# Sets `sanitizer` to swift's options for the thread sanitizer, and `builds` to the folder for its builds.
use_sanitizer() {
  # Before the variables below, which choose settings that the plugin is not built with.
  use_plugin
  export ENTITYCLIENT_TSAN=${ENTITYCLIENT_TSAN:-1}
  # One race is enough to fail the run.
  export TSAN_OPTIONS="halt_on_error=1:second_deadlock_stack=1:suppressions=$root/scripts/tsan-suppressions\
${TSAN_OPTIONS:+:$TSAN_OPTIONS}"
  # shellcheck disable=SC2034 # the sourcing scripts use it
  sanitizer=(--sanitize=thread)
  builds=$root/.build-tsan
}

# The same for the address sanitizer.
use_address_sanitizer() {
  use_plugin
  # Tests ask it: no sanitized build measures memory.
  export ENTITYCLIENT_ASAN=1
  # It knows none of the pointers that Swift packs into a word, so what they lead to would count as lost.
  export ASAN_OPTIONS="detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
  # shellcheck disable=SC2034 # the sourcing scripts use it
  sanitizer=(--sanitize=address)
  builds=$root/.build-asan
}

# Sets `optimizer` to swift's options for tests of an optimized store, and `builds` to the folder for its builds.
use_optimizer() {
  use_plugin
  export ENTITYCLIENT_OPTIMIZED=1
  # shellcheck disable=SC2034 # the sourcing scripts use it
  optimizer=(--configuration release -Xswiftc -enable-testing)
  builds=$root/.build-faults
}

# Runs a swift command and shows its output. On a terminal swift keeps its progress on one line; in a log it would
# write a line for each file, so there one in ten seconds is kept, and all that is no progress. Where a warning fails the
# build, nobody edits: an index for editors without the system's modules takes the compiler less time.
run_swift() {
  local status=0 command=("$@")
  [[ ${ENTITYCLIENT_STRICT:-} != 1 ]] || command=("$1" -Xswiftc -index-ignore-system-modules "${@:2}")
  forget_plans
  if [[ -t 1 ]]; then
    swift "${command[@]}" </dev/null || status=$?
  else
    swift "${command[@]}" </dev/null 2>&1 | thin_progress || status=$?
  fi
  forget_plans
  return "$status"
}

# The modules of the libraries.
modules=(EntityJSON EntityStore EntityRequests EntityOutbox EntityXML EntityInspector EntityMacros AdapterDecorators Adapters SessionAdapter EntityTesting
  EntityClient)

# Builds all modules, and writes what is public in each as symbol graphs to a folder of its name in $1, which is made anew.
extract_graphs() {
  local module products triple map maps=() sdk=()
  # With these all modules are built.
  for module in EntityClient EntityXML EntityInspector Adapters SessionAdapter EntityTesting; do
    run_swift build --package-path "$root" --scratch-path "$builds" --target "$module"
  done
  products=$(swift build --package-path "$root" --scratch-path "$builds" --show-bin-path)
  triple=$(swift -print-target-info | python3 -c 'import json, sys; print(json.load(sys.stdin)["target"]["triple"])')
  for map in "$products"/CSQLite.build/module.modulemap "$products"/CCurl.build/module.modulemap; do
    maps+=(-Xcc "-fmodule-map-file=$map")
  done
  if [[ $(uname -s) == Darwin ]]; then sdk=(-sdk "$(xcrun --show-sdk-path)"); fi
  rm -rf "$1"
  for module in "${modules[@]}"; do
    mkdir -p "$1/$module"
    swift symbolgraph-extract -module-name "$module" -I "$products/Modules" "${maps[@]}" ${sdk[@]+"${sdk[@]}"} \
      -target "$triple" -minimum-access-level public -skip-synthesized-members -output-dir "$1/$module"
  done
}

# Builds the program that has the tests of the package $1, with the options of swift that follow, and sets `program` to its
# path. Where the tests need nothing but what they link, other modules and programs are not built.
build_tests() {
  local product=$1PackageTests
  shift
  [[ $(uname -s) == Linux ]] || stop "the tests are run by this script on Linux only; elsewhere: swift test"
  case $product:${ENTITYCLIENT_TESTS:-} in
    # They start programs, or compile against modules.
    EntityClientExamples* | *:*EntityMacrosTests*) run_swift build "$@" --build-tests || return 1 ;;
    *) run_swift build "$@" --product "$product" || return 1 ;;
  esac
  # shellcheck disable=SC2034 # the callers use it
  program=$(swift build "$@" --show-bin-path </dev/null)/$product.xctest
}

# Several packages are built in one folder, and swift takes the plan that it finds there for that of the package at hand: it
# would build and test the package that was planned last. To plan takes two seconds.
forget_plans() {
  rm -f "$builds"/{debug,release}.yaml "$builds"/*/*/description.json
}

thin_progress() {
  local line shown=-10 progress='^\[([0-9]+)/([0-9]+)\] '
  while IFS= read -r line || [[ -n $line ]]; do
    if [[ $line =~ $progress ]] && ((BASH_REMATCH[1] < BASH_REMATCH[2])); then
      ((SECONDS - shown >= 10)) || continue
      shown=$SECONDS
    fi
    printf '%s\n' "$line"
  done
}
