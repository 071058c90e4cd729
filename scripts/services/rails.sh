# shellcheck shell=bash
# shellcheck disable=SC2154 # the sourcing script has set them
# Sourced by scripts/integration: a small service of Ruby on Rails, scripts/services/press, with an empty database each
# time. Debian's packages have Rails, ActiveModelSerializers and Puma.

install_rails() {
  need_packages python3 ruby ruby:rails:ruby-railties ruby:active_record:ruby-activerecord ruby:sqlite3:ruby-sqlite3 \
    ruby:active_model_serializers:ruby-active-model-serializers puma
  ruby -e 'require "rails"; require "active_record"; require "sqlite3"; require "active_model_serializers"; require "puma"' ||
    stop "install the gems rails, sqlite3, active_model_serializers and puma for $(command -v ruby)"
}

start_rails() {
  local port
  port=$(free_port)
  start_server Rails "http://127.0.0.1:$port/authors" "$run/rails.log" \
    env "PRESS_DATABASE=$run/press.sqlite3" ruby "$root/scripts/services/press/app.rb" "$port"
  export ENTITYCLIENT_RAILS=http://127.0.0.1:$port/
}
