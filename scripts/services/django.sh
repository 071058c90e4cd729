# shellcheck shell=bash
# shellcheck disable=SC2154 # the sourcing script has set them
# Sourced by scripts/integration: a small service of Django's REST framework, scripts/services/library, with an empty
# database each time. The same books are there as JSON:API, by a package for that framework, and as HAL, by another.

install_django() {
  need_packages python3 python3-venv
  need_python_packages django
}

start_django() {
  local port
  port=$(free_port)
  # No folders of bytecode among the sources.
  local django=(env PYTHONDONTWRITEBYTECODE=1 "PYTHONPATH=$root/scripts/services" DJANGO_SETTINGS_MODULE=library.settings
    "LIBRARY_DATABASE=$run/library.sqlite3" "$root/.build/python/django/bin/python3" -m django)
  quietly "${django[@]}" migrate --run-syncdb
  start_server Django "http://127.0.0.1:$port/api/" "$run/django.log" \
    "${django[@]}" runserver --noreload "127.0.0.1:$port"
  export ENTITYCLIENT_DJANGO=http://127.0.0.1:$port/api/ ENTITYCLIENT_JSONAPI=http://127.0.0.1:$port/jsonapi/ \
    ENTITYCLIENT_HAL=http://127.0.0.1:$port/hal/
}
