# shellcheck shell=bash
# shellcheck disable=SC2154 # the sourcing script has set them
# Sourced by scripts/integration: Kinto, which keeps records, and Debian's iso-codes, which are put into it.
codes=/usr/share/iso-codes/json

install_kinto() {
  need_packages python3 python3-venv "$codes/iso_3166-2.json:iso-codes"
  [[ -e $codes/iso_3166-2.json ]] || stop "there is no $codes; install iso-codes, whose JSON files are what is synced"
  need_python_packages kinto
}

start_kinto() {
  local port
  port=$(free_port)
  start_server Kinto "http://127.0.0.1:$port/v1/__heartbeat__" "$run/kinto.log" \
    "$root/.build/python/kinto/bin/kinto" start --ini "$root/scripts/services/kinto.ini" --port "$port"
  export ENTITYCLIENT_KINTO=http://127.0.0.1:$port/v1/ ENTITYCLIENT_ISO_CODES=$codes
}
