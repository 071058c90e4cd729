# shellcheck shell=bash
# shellcheck disable=SC2154 # the sourcing script has set them
# Sourced by scripts/integration: a service of OData 4.01, by PyPI's odatapy and waitress.

install_odata() {
  need_packages python3 python3-venv
  need_python_packages odata
}

start_odata() {
  local port
  port=$(free_port)
  start_server odatapy "http://127.0.0.1:$port/up/" "$run/odata.log" \
    "$root/.build/python/odata/bin/python3" "$root/scripts/services/odataserver.py" "$port"
  export ENTITYCLIENT_ODATA=http://127.0.0.1:$port/
}
