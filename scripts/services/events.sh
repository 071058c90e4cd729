# shellcheck shell=bash
# shellcheck disable=SC2154 # the sourcing script has set them
# Sourced by scripts/integration: a board of notes, whose changes PyPI's sse-starlette sends as server-sent events.

install_events() {
  need_packages python3 python3-venv
  need_python_packages events
}

start_events() {
  local port
  port=$(free_port)
  start_server sse-starlette "http://127.0.0.1:$port/up/notes" "$run/events.log" \
    "$root/.build/python/events/bin/python3" "$root/scripts/services/eventboard.py" "$port"
  export ENTITYCLIENT_EVENTS=http://127.0.0.1:$port/
}
