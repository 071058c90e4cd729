# shellcheck shell=bash
# shellcheck disable=SC2154 # the sourcing script has set them
# Sourced by scripts/integration: a server of HTTP/2, by PyPI's h2, with a certificate of this run. Debian's libcurl is too
# old to speak HTTP/2 with, so the tests run a second time with the libcurl that PyPI's pycurl brings.

install_http2() {
  need_packages python3 python3-venv openssl
  need_python_packages http2
}

start_http2() {
  local ports log both only single
  ports=$(free_ports 4)
  read -r log both only single <<<"$ports"
  quietly openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=http2 \
    -addext subjectAltName=IP:127.0.0.1 -keyout "$run/http2.key" -out "$run/http2.pem"
  start_server HTTP/2 "http://127.0.0.1:$log/" "$run/http2.log" \
    "$root/.build/python/http2/bin/python3" "$root/scripts/services/h2server.py" "$run/http2.pem" "$run/http2.key" \
    "$log" "$both" "$only" "$single"
  export ENTITYCLIENT_HTTP2_LOG=http://127.0.0.1:$log/ ENTITYCLIENT_HTTP2_BOTH=https://127.0.0.1:$both/ \
    ENTITYCLIENT_HTTP2_ONLY=https://127.0.0.1:$only/ ENTITYCLIENT_HTTP2_SINGLE=https://127.0.0.1:$single/ \
    ENTITYCLIENT_HTTP2_CA=$run/http2.pem
}

# The symbols of that libcurl have no versions, which the loader says and lets pass. The libraries that it needs have names
# that no other has.
again_http2() {
  [[ $(uname -s) == Linux ]] || return 0
  local library libraries
  library=$(echo "$root"/.build/python/http2/lib/python3*/site-packages/pycurl.libs/libcurl-*.so.4*)
  # A pycurl that was built here brings none.
  [[ -e $library ]] || stop "PyPI's pycurl brings no libcurl for this system: $library"
  libraries=${library%/*}
  mkdir "$run/libcurl"
  ln -s "$library" "$run/libcurl/libcurl.so.4"
  say "Speaking HTTP/2 with a newer libcurl"
  # With the first variable the tests run, and fail with a libcurl that is too old.
  ENTITYCLIENT_HTTP2_SPOKEN=1 LD_LIBRARY_PATH=$run/libcurl:$libraries "$builds/debug/EntityClientExamplesPackageTests.xctest" \
    --testing-library swift-testing --filter '^IntegrationTests\.HTTP2Tests'
}
