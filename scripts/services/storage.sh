# shellcheck shell=bash
# shellcheck disable=SC2154 # the sourcing script has set them
# Sourced by scripts/integration: uploads in pieces with Content-Range, to PyPI's gcp-storage-emulator, which speaks as Google's
# cloud storage does.

install_storage() {
  need_packages python3 python3-venv
  need_python_packages storage
}

start_storage() {
  local port
  port=$(free_port)
  start_server gcp-storage-emulator "http://127.0.0.1:$port/storage/v1/b?project=films" "$run/storage.log" \
    "$root/.build/python/storage/bin/gcp-storage-emulator" start --host 127.0.0.1 --port "$port" --in-memory \
    --default-bucket films
  export ENTITYCLIENT_STORAGE=http://127.0.0.1:$port/
}
