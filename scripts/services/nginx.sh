# shellcheck shell=bash
# shellcheck disable=SC2154 # the sourcing script has set them
# Sourced by scripts/integration: Debian's nginx, unpacked into a folder of this package, so that nothing is installed and no
# service of the system starts. One port is plain, one has TLS with a certificate of this run, which clients may have too.
nginx=$root/.build/nginx/usr/sbin/nginx

install_nginx() {
  need_packages python3 openssl
  if command -v nginx >/dev/null; then
    nginx=$(command -v nginx)
  elif [[ ! -x $nginx ]]; then
    command -v apt-get >/dev/null || stop "there is no nginx; install it with this system's package manager"
    say "Unpacking nginx"
    mkdir -p "$root/.build/nginx"
    (
      cd "$root/.build/nginx"
      # One that an interrupted run left.
      rm -f nginx_*.deb
      # A fresh system knows no packages, and old lists name versions that are gone.
      if ((EUID == 0)); then
        quietly apt-get -q update
      elif [[ ${CI:-} == true ]] && command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        quietly sudo -n apt-get -q update
      fi
      quietly apt-get -q -o APT::Sandbox::User=root download nginx
      quietly dpkg-deb -x nginx_*.deb .
    )
  fi
}

start_nginx() {
  local folder=$run/nginx ports port secure
  ports=$(free_ports 2)
  read -r port secure <<<"$ports"
  mkdir -p "$folder/files/files" "$folder/files/limited" "$folder/temporary"
  python3 -c 'import json; print(json.dumps([{"id": n, "name": "Name of %d" % n} for n in range(2000)]))' \
    >"$folder/files/files/list.json"
  cp "$folder/files/files/list.json" "$folder/files/limited/"
  quietly openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=nginx \
    -addext subjectAltName=IP:127.0.0.1 -keyout "$folder/key.pem" -out "$folder/certificate.pem"
  cat >"$folder/nginx.conf" <<CONF
daemon off;
user $(id -un) $(id -gn);
worker_processes 1;
pid $folder/pid;
error_log stderr;
events { worker_connections 512; }
http {
  default_type application/json;
  log_format short '\$connection \$request_method \$request_uri \$status \$http_transfer_encoding';
  access_log $folder/access.log short;
  client_body_temp_path $folder/temporary/body;
  proxy_temp_path $folder/temporary/proxy;
  fastcgi_temp_path $folder/temporary/fastcgi;
  uwsgi_temp_path $folder/temporary/uwsgi;
  scgi_temp_path $folder/temporary/scgi;
  root $folder/files;
  limit_req_zone \$request_uri zone=one:1m rate=1r/s;
  server {
    listen 127.0.0.1:$port;
    location / { return 200 "{}"; }
    location /files/ { dav_methods PUT DELETE; client_max_body_size 8m; }
    location /packed/ { gzip on; gzip_types *; gzip_http_version 1.0; alias $folder/files/files/; }
    location /small/ { dav_methods PUT; client_max_body_size 1k; }
    location /brief/ { keepalive_timeout 1ms; alias $folder/files/files/; }
    location /limited/ {
      limit_req zone=one;
      limit_req_status 503;
      error_page 503 @later;
      rewrite ^ /limited/list.json break;
    }
    location @later { add_header Retry-After 1 always; return 503; }
    location /moved/ { return 302 /files/list.json; }
    location = /log { access_log off; alias $folder/access.log; }
  }
  server {
    listen 127.0.0.1:$secure ssl;
    ssl_certificate $folder/certificate.pem;
    ssl_certificate_key $folder/key.pem;
    ssl_client_certificate $folder/certificate.pem;
    ssl_protocols TLSv1.2 TLSv1.3;
    ssl_verify_client optional;
    location / { return 200 "\$ssl_protocol \$ssl_client_verify"; }
    location /members/ {
      if (\$ssl_client_verify != SUCCESS) { return 403; }
      return 200 "\$ssl_client_s_dn";
    }
  }
}
CONF
  start_server nginx "http://127.0.0.1:$port/" "$run/nginx.log" "$nginx" -e stderr -p "$folder" -c "$folder/nginx.conf"
  export ENTITYCLIENT_NGINX=http://127.0.0.1:$port/ ENTITYCLIENT_NGINX_TLS=https://127.0.0.1:$secure/ \
    ENTITYCLIENT_NGINX_FOLDER=$folder
}
