"""A server of HTTP/2 over TLS, by PyPI's h2, whose paths say what goes wrong. Its log, at a port of plain HTTP/1.1, says
what it received: the oracle of the tests.

Arguments: the certificate, its key, and four ports: of the log, of a server that offers HTTP/2 and 1.1, of one that offers
HTTP/2 alone, and of one that takes one stream at a time."""

import hashlib, http.server, json, socket, ssl, sys, threading

import h2.config, h2.connection, h2.events, h2.exceptions, h2.settings
from h2.errors import ErrorCodes

certificate, key = sys.argv[1:3]
log_port, both_port, only_port, single_port = (int(port) for port in sys.argv[3:7])
entries, lock, connections = [], threading.Lock(), 0


def note(**entry):
    with lock:
        entries.append(entry)


class Connection:
    """One connection of HTTP/2; its thread is the only one that uses it."""

    def __init__(self, sock, number, streams):
        self.sock, self.number = sock, number
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
        self.h2.local_settings[h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS] = streams
        self.requests, self.left, self.over, self.drains = {}, {}, False, False

    def run(self):
        self.h2.initiate_connection()
        self.flush()
        while not self.over:
            data = self.sock.recv(65536)
            if not data:
                break
            for event in self.h2.receive_data(data):
                self.handle(event)
            self.pump()
            self.flush()
        # Else what was not read makes the system reset the connection.
        while self.drains and self.sock.recv(65536):
            pass

    def flush(self):
        self.sock.sendall(self.h2.data_to_send())

    def handle(self, event):
        if isinstance(event, h2.events.RequestReceived):
            headers = {name.decode(): value.decode() for name, value in event.headers}
            self.requests[event.stream_id] = (headers, bytearray())
            # Asked before the body is there.
            if headers[':path'].startswith('/early'):
                self.answer(event.stream_id, 413, b'early')
                self.pump()
                # The rest of the body is not wanted (RFC 9113 §8.1).
                self.h2.reset_stream(event.stream_id, ErrorCodes.NO_ERROR)
        elif isinstance(event, h2.events.DataReceived):
            headers, body = self.requests[event.stream_id]
            body.extend(event.data)
            if not headers[':path'].startswith('/early'):
                self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        elif isinstance(event, h2.events.StreamEnded):
            self.serve(event.stream_id)
        elif isinstance(event, h2.events.StreamReset):
            headers, _ = self.requests[event.stream_id]
            self.left.pop(event.stream_id, None)
            note(kind='reset', path=headers[':path'], connection=self.number)

    def answer(self, stream, status, body, length=True, end=True):
        headers = [(':status', str(status))] + ([('content-length', str(len(body)))] if length else [])
        self.h2.send_headers(stream, headers)
        self.left[stream] = (bytes(body), end)

    def pump(self):
        for stream in list(self.left):
            body, end = self.left[stream]
            while body:
                size = min(len(body), self.h2.local_flow_control_window(stream), self.h2.max_outbound_frame_size)
                if size == 0:
                    break
                self.h2.send_data(stream, body[:size])
                body = body[size:]
            self.left[stream] = (body, end)
            if not body:
                del self.left[stream]
                if end:
                    self.h2.end_stream(stream)

    def partly(self, stream):
        self.answer(stream, 200, b'half', length=False, end=False)
        self.pump()

    def serve(self, stream):
        headers, body = self.requests[stream]
        path = headers[':path']
        note(kind='request', version='2', method=headers[':method'], path=path, bytes=len(body),
             sha256=hashlib.sha256(body).hexdigest(), connection=self.number, stream=stream)
        name = path.split('/')[1]
        if name == 'bytes':
            self.answer(stream, 200, b'0123456789' * (int(path.split('/')[2]) // 10), length=False)
        elif name == 'hold':
            pass
        elif name == 'half-hold':
            self.partly(stream)
        elif name == 'reset':
            self.partly(stream)
            self.h2.reset_stream(stream, ErrorCodes.INTERNAL_ERROR)
        elif name == 'no-error':
            self.partly(stream)
            self.h2.reset_stream(stream, ErrorCodes.NO_ERROR)
        elif name == 'refuse':
            self.h2.reset_stream(stream, ErrorCodes.REFUSED_STREAM)
        elif name == 'drop':
            self.partly(stream)
            self.over = True
        elif name == 'goaway':
            self.partly(stream)
            self.h2.close_connection(ErrorCodes.INTERNAL_ERROR)
            self.over = True
        elif name == 'last':
            # A server that is about to stop: what it has is answered, and nothing new is taken.
            self.answer(stream, 200, b'last')
            self.pump()
            self.h2.close_connection(ErrorCodes.NO_ERROR, last_stream_id=stream)
            self.over = self.drains = True
        elif name != 'early':
            self.answer(stream, 200, path.encode() if headers[':method'] != 'HEAD' else b'')


def plain(sock, number):
    """HTTP/1.1, of requests without a body."""
    file = sock.makefile('rb')
    while line := file.readline():
        method, path, _ = line.decode().split(' ')
        while file.readline() not in (b'\r\n', b''):
            pass
        note(kind='request', version='1.1', method=method, path=path, bytes=0, connection=number)
        sock.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s' % (len(path), path.encode()))


def listen(port, protocols, streams):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    context.set_alpn_protocols(protocols)
    listener = socket.create_server(('127.0.0.1', port), backlog=128)

    def converse(raw, number):
        try:
            with context.wrap_socket(raw, server_side=True) as sock:
                protocol = sock.selected_alpn_protocol()
                note(kind='connection', protocol=protocol, port=port, connection=number)
                if protocol == 'h2':
                    Connection(sock, number, streams).run()
                elif 'http/1.1' in protocols:
                    plain(sock, number)
        except (OSError, h2.exceptions.ProtocolError):
            pass

    def accept():
        global connections
        while True:
            raw, _ = listener.accept()
            with lock:
                connections += 1
                number = connections
            threading.Thread(target=converse, args=(raw, number), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()


class Log(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        with lock:
            text = json.dumps(entries).encode()
        self.send_response(200)
        self.send_header('Content-Length', str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *arguments):
        pass


listen(both_port, ['h2', 'http/1.1'], 100)
listen(only_port, ['h2'], 100)
listen(single_port, ['h2'], 1)
http.server.ThreadingHTTPServer(('127.0.0.1', log_port), Log).serve_forever()
