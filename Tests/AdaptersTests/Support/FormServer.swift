import Foundation
import TestSupport

/// A server that reads forms with other people's code: Python's own `urllib` and `email`, and Werkzeug where
/// `scripts/test` has installed it. It answers with the fields that they found, as JSON.
final class FormServer {
  static let python = ProcessInfo.processInfo.environment["ENTITYCLIENT_PYTHON"] ?? "python3"
  static let isAvailable = TLSServer.isAvailable

  let url: URL
  private let process: ChildProcess

  init() throws {
    process = try ChildProcess("/usr/bin/env", [Self.python, "-c", Self.script])
    guard let port = Int(process.firstLine().trimmingCharacters(in: .whitespacesAndNewlines)),
      let url = URL(string: "http://127.0.0.1:\(port)/")
    else { throw TLSServer.CommandFailed(command: "python3") }
    self.url = url
  }

  private static let script = #"""
    import email.parser, email.policy, hashlib, http.server, io, json, sys, threading, urllib.parse
    try:
        import werkzeug.formparser, werkzeug.wrappers
    except ImportError:
        werkzeug = None

    def entry(name, filename, kind, data):
        return {'name': name, 'filename': filename, 'type': kind, 'size': len(data),
                'sha256': hashlib.sha256(data).hexdigest(),
                'text': data.decode('utf-8', 'replace') if len(data) < 1000 else None}

    def standard(kind, body):
        if kind.startswith('application/x-www-form-urlencoded'):
            pairs = urllib.parse.parse_qsl(body.decode('ascii'), keep_blank_values=True, strict_parsing=len(body) > 0)
            return [entry(name, None, None, value.encode()) for name, value in pairs]
        if not kind.startswith('multipart/form-data'):
            return [entry(None, None, kind, body)]
        text = b'Content-Type: ' + kind.encode() + b'\r\n\r\n' + body
        message = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(text)
        parts = []
        for part in message.iter_parts():
            if part.defects: raise ValueError(str(part.defects))
            disposition = part['Content-Disposition']
            parts.append(entry(disposition.params['name'], disposition.params.get('filename'),
                               part['Content-Type'] and part.get_content_type(), part.get_payload(decode=True)))
        return parts

    def others(kind, body):
        if werkzeug is None: return None
        environment = {'REQUEST_METHOD': 'POST', 'CONTENT_TYPE': kind, 'CONTENT_LENGTH': str(len(body)),
                       'wsgi.input': io.BytesIO(body)}
        _, form, files = werkzeug.formparser.parse_form_data(environment, silent=False)
        fields = [entry(name, None, None, value.encode()) for name, value in form.items(multi=True)]
        return fields + [entry(name, file.filename, file.mimetype, file.read()) for name, file in files.items(multi=True)]

    def queries(query):
        found = [urllib.parse.parse_qsl(query, keep_blank_values=True, strict_parsing=len(query) > 0)]
        if werkzeug is not None:
            request = werkzeug.wrappers.Request({'REQUEST_METHOD': 'POST', 'QUERY_STRING': query})
            found.append(list(request.args.items(multi=True)))
        return found

    def refuse(constant): raise ValueError(constant)

    def numbers_as_text(kind, body):
        if kind != 'application/json': return None
        return json.loads(body, parse_float=str, parse_int=str, parse_constant=refuse)

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            length = self.headers['Content-Length']
            body = self.rfile.read(int(length)) if length else self.chunks()
            kind = self.headers['Content-Type']
            found = {'length': length, 'type': kind, 'standard': standard(kind, body), 'others': others(kind, body),
                     'queries': queries(urllib.parse.urlsplit(self.path).query),
                     'headers': {name.lower(): value for name, value in self.headers.items()},
                     'json': numbers_as_text(kind, body)}
            answer = json.dumps(found).encode()
            self.send_response(200)
            self.send_header('Content-Length', str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)
        def chunks(self):
            body = b''
            while self.headers['Transfer-Encoding'] == 'chunked':
                size = int(self.rfile.readline(), 16)
                body += self.rfile.read(size)
                self.rfile.readline()
                if size == 0: break
            return body
        def log_message(self, *arguments): pass

    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
    print(server.server_address[1], flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()
    """#
}
