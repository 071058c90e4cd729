# shellcheck shell=bash
# shellcheck disable=SC2154 # the sourcing script has set them
# Sourced by scripts/integration: httpbin, which answers as its paths say.

install_httpbin() {
  need_packages python3 python3-venv
  need_python_packages httpbin
}

start_httpbin() {
  local port
  port=$(free_port)
  start_server httpbin "http://127.0.0.1:$port/get" "$run/httpbin.log" "$root/.build/python/httpbin/bin/python3" -c \
    "import httpbin; httpbin.app.run(host='127.0.0.1', port=$port, threaded=True)"
  export ENTITYCLIENT_HTTPBIN=http://127.0.0.1:$port/
}
