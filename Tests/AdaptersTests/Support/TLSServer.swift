import Foundation
import TestSupport

/// Python's TLS server with a self-signed certificate that was made for it; it answers `ok` to everything.
final class TLSServer {
  static let isAvailable = ["openssl", "python3"].allSatisfy { command in
    (try? run(["sh", "-c", "command -v \(command)"])) != nil
  }

  let url: URL
  let certificate: URL
  private let process: ChildProcess
  private let folder: URL

  /// - Parameter name: The certificate's subjectAltName, as OpenSSL writes it.
  init(name: String) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "tls-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    certificate = folder.appending(path: "certificate.pem")
    let key = folder.appending(path: "key.pem")
    try Self.run([
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
      "-subj", "/CN=test", "-addext", "subjectAltName=\(name)", "-keyout", key.path, "-out", certificate.path,
    ])
    let script = """
      import http.server, ssl, sys, threading
      class Handler(http.server.BaseHTTPRequestHandler):
          def do_GET(self):
              self.send_response(200); self.send_header('Content-Length', '2'); self.end_headers(); self.wfile.write(b'ok')
          def log_message(self, *arguments): pass
      class Server(http.server.ThreadingHTTPServer):
          def handle_error(self, request, address): pass
      server = Server(('127.0.0.1', 0), Handler)
      context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
      context.load_cert_chain(sys.argv[1], sys.argv[2])
      server.socket = context.wrap_socket(server.socket, server_side=True)
      print(server.server_address[1], flush=True)
      threading.Thread(target=server.serve_forever, daemon=True).start()
      sys.stdin.read()
      """
    process = try ChildProcess("/usr/bin/env", ["python3", "-c", script, certificate.path, key.path])
    guard let port = Int(process.firstLine().trimmingCharacters(in: .whitespacesAndNewlines)),
      let url = URL(string: "https://127.0.0.1:\(port)/")
    else { throw CommandFailed(command: "python3") }
    self.url = url
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private static func run(_ command: [String]) throws {
    guard try ChildProcess.run("/usr/bin/env", command).status == 0 else { throw CommandFailed(command: command[0]) }
  }

  struct CommandFailed: Error { let command: String }
}
