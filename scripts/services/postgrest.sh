# shellcheck shell=bash
# shellcheck disable=SC2154 # the sourcing script has set them
# Sourced by scripts/integration: an API over a database as PostgREST serves one, by a server of ours over SQLite.

install_postgrest() { need_packages python3; }

start_postgrest() {
  local port
  port=$(free_port)
  start_server PostgREST "http://127.0.0.1:$port/" "$run/postgrest.log" \
    python3 "$root/scripts/services/postgrestserver.py" "$port"
  export ENTITYCLIENT_POSTGREST=http://127.0.0.1:$port/
}
