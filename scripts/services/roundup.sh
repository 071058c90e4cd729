# shellcheck shell=bash
# shellcheck disable=SC2154 # the sourcing script has set them
# Sourced by scripts/integration: a Roundup tracker of the "classic" template, new each time, with the account "admin",
# password "admin". Nothing it would mail leaves the machine.

install_roundup() {
  need_packages python3 python3-venv
  need_python_packages roundup
}

start_roundup() {
  local bin=$root/.build/python/roundup/bin home=$run/tracker port
  port=$(free_port)
  # Few rounds of hashing: each request has the password, and this one is no secret.
  quietly "$bin/roundup-admin" -i "$home" install classic sqlite "tracker_web=http://127.0.0.1:$port/tracker/,\
tracker_email=issues@example.com,mail_domain=example.com,mail_host=localhost,mail_debug=$home/mail,\
password_pbkdf2_default_rounds=1000"
  quietly "$bin/roundup-admin" -i "$home" initialise admin
  # It refuses to run as root unless told so.
  start_server Roundup "http://127.0.0.1:$port/tracker/" "$run/roundup.log" \
    "$bin/roundup-server" -u "$(id -u)" -n 127.0.0.1 -p "$port" -t thread "tracker=$home"
  export ENTITYCLIENT_ROUNDUP=http://127.0.0.1:$port/tracker
}
