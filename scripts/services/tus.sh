# shellcheck shell=bash
# shellcheck disable=SC2154 # the sourcing script has set them
# Sourced by scripts/integration: uploads by tus 1.0, to PyPI's aiohttp-tus; by PUT and by forms, to aiohttp.

install_tus() {
  need_packages python3 python3-venv
  need_python_packages tus
}

start_tus() {
  local port
  port=$(free_port)
  mkdir -p "$run/tus"
  start_server tus "http://127.0.0.1:$port/" "$run/tus.log" \
    "$root/.build/python/tus/bin/python3" "$root/scripts/services/tusserver.py" "$port" "$run/tus"
  export ENTITYCLIENT_TUS=http://127.0.0.1:$port/ ENTITYCLIENT_TUS_FOLDER=$run/tus
}
