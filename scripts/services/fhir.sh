# shellcheck shell=bash
# shellcheck disable=SC2154 # the sourcing script has set them
# Sourced by scripts/integration: a service of FHIR R4B, by PyPI's fhirstarter and fhir.resources.

install_fhir() {
  need_packages python3 python3-venv
  need_python_packages fhir
}

start_fhir() {
  local port
  port=$(free_port)
  start_server fhirstarter "http://127.0.0.1:$port/up/metadata" "$run/fhir.log" \
    "$root/.build/python/fhir/bin/python3" "$root/scripts/services/fhirserver.py" "$port"
  export ENTITYCLIENT_FHIR=http://127.0.0.1:$port/
}
