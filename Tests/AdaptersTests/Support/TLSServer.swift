import Foundation
import TestSupport

/// Python's TLS server with a self-signed certificate that was made for it; it answers `ok` to everything.
final class TLSServer {
  enum Mode: String {
    case plain
    /// Bodies end with the connection, with TLS's own end and without it.
    case ending, cutting
    /// A client needs the server's own certificate and key; of TLS 1.2 in the second one.
    case asking, asking12
    /// The certificate's time is over; TLS 1.0 is all that is spoken.
    case expired, old
    /// Answers with the credentials of the proxy's tunnel that a request came through, and the number of tunnels.
    case tunnel
    /// Answers `/first` twice, the second time before it answers `/late`.
    case late
  }

  static let isAvailable = ["openssl", "python3"].allSatisfy { command in
    (try? run(["sh", "-c", "command -v \(command)"])) != nil
  }

  let url: URL
  /// A proxy in front of the server; only with ``Mode/tunnel``.
  let proxy: URL?
  let certificate: URL
  let key: URL
  private let process: ChildProcess
  private let folder: URL

  /// - Parameter name: The certificate's subjectAltName, as OpenSSL writes it.
  init(name: String, mode: Mode = .plain) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "tls-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    certificate = folder.appending(path: "certificate.pem")
    key = folder.appending(path: "key.pem")
    try Self.run([
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
      "-subj", "/CN=test", "-addext", "subjectAltName=\(name)", "-keyout", key.path, "-out", certificate.path,
    ])
    if mode == .expired { try Self.signAnew(certificate, key, name, in: folder) }
    let script = """
      import http.server, socket, socketserver, ssl, sys, threading
      mode = sys.argv[3]
      asked, late, tunnels = threading.Event(), threading.Event(), {}
      class Handler(http.server.BaseHTTPRequestHandler):
          protocol_version = 'HTTP/1.0' if mode in ('ending', 'cutting') else 'HTTP/1.1'
          def do_GET(self):
              self.send_response(200)
              if mode in ('ending', 'cutting'):
                  self.end_headers(); self.wfile.write(b'half'); self.wfile.flush()
                  if mode == 'ending': self.connection.unwrap()
                  return
              if self.path == '/late': asked.set(); late.wait()
              body = 'ok'
              if mode == 'tunnel': body = tunnels[self.client_address[1]] + '\\n' + str(len(tunnels))
              self.send_header('Content-Length', str(len(body))); self.end_headers(); self.wfile.write(body.encode())
              if self.path == '/first':
                  asked.wait()
                  self.wfile.write(b'HTTP/1.1 408 Late\\r\\nContent-Length: 4\\r\\n\\r\\nlate')
                  late.set()
          def log_message(self, *arguments): pass
      class Server(http.server.ThreadingHTTPServer):
          def handle_error(self, request, address): pass
      def pump(source, target):
          try:
              while data := source.recv(65536): target.sendall(data)
              target.shutdown(socket.SHUT_WR)
          except OSError: pass
      class Proxy(socketserver.StreamRequestHandler):
          def handle(self):
              credentials = 'none'
              for line in self.rfile:
                  name, _, value = line.decode().strip().partition(': ')
                  if name.lower() == 'proxy-authorization': credentials = value
                  if not name: break
              with socket.create_connection(server.server_address) as target:
                  tunnels[target.getsockname()[1]] = credentials
                  self.wfile.write(b'HTTP/1.1 200 OK\\r\\n\\r\\n')
                  threading.Thread(target=pump, args=(target, self.connection), daemon=True).start()
                  pump(self.connection, target)
      server = Server(('127.0.0.1', 0), Handler)
      socketserver.ThreadingTCPServer.daemon_threads = True
      proxy = socketserver.ThreadingTCPServer(('127.0.0.1', 0), Proxy)
      if mode == 'tunnel': threading.Thread(target=proxy.serve_forever, daemon=True).start()
      context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
      context.load_cert_chain(sys.argv[1], sys.argv[2])
      if mode.startswith('asking'):
          context.verify_mode = ssl.CERT_REQUIRED
          context.load_verify_locations(sys.argv[1])
      if mode == 'old':
          context.set_ciphers('DEFAULT:@SECLEVEL=0')
          context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1
      if mode == 'asking12': context.maximum_version = ssl.TLSVersion.TLSv1_2
      server.socket = context.wrap_socket(server.socket, server_side=True)
      print(server.server_address[1], proxy.server_address[1], flush=True)
      threading.Thread(target=server.serve_forever, daemon=True).start()
      sys.stdin.read()
      """
    process = try ChildProcess("/usr/bin/env", ["python3", "-c", script, certificate.path, key.path, mode.rawValue])
    let ports = process.firstLine().split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
    guard ports.count == 2, let url = URL(string: "https://127.0.0.1:\(ports[0])/") else {
      throw CommandFailed(command: "python3")
    }
    self.url = url
    proxy = mode == .tunnel ? URL(string: "http://127.0.0.1:\(ports[1])") : nil
  }

  /// With a time that is over, of which `openssl req` makes none.
  private static func signAnew(_ certificate: URL, _ key: URL, _ name: String, in folder: URL) throws {
    let settings = """
      [ca]\ndefault_ca = a\n[a]\ndatabase = \(folder.path)/index
      serial = \(folder.path)/serial\nnew_certs_dir = \(folder.path)
      default_md = sha256\npolicy = p\nx509_extensions = e\n[p]\ncommonName = supplied
      [e]\nsubjectAltName = \(name)
      """
    let (configuration, request) = (folder.appending(path: "ca"), folder.appending(path: "request"))
    try settings.write(to: configuration, atomically: true, encoding: .utf8)
    try Data().write(to: folder.appending(path: "index"))
    try run(["openssl", "req", "-new", "-key", key.path, "-subj", "/CN=test", "-out", request.path])
    try run([
      "openssl", "ca", "-batch", "-selfsign", "-rand_serial", "-config", configuration.path, "-keyfile", key.path,
      "-in", request.path, "-out", certificate.path, "-startdate", "20200101000000Z",
      "-enddate", "20200102000000Z", "-notext",
    ])
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  @discardableResult
  static func run(_ command: [String]) throws -> String {
    let (status, output) = try ChildProcess.run("/usr/bin/env", command)
    guard status == 0 else { throw CommandFailed(command: command[0]) }
    return output
  }

  struct CommandFailed: Error { let command: String }
}
