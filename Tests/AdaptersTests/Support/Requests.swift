import Adapters
import EntityRequests
import HTTPFoundation

func request(_ method: String = "GET", _ url: URL, _ headers: [String: String] = [:]) -> URLRequest {
  var request = URLRequest(url: url)
  request.httpMethod = method
  request.allHTTPHeaderFields = headers
  return request
}

extension RequestAdapter {
  func send(_ request: URLRequest, body: RequestBody = .none) async throws -> HTTPResponse {
    try await send(request, body: body, progress: nil)
  }

  /// The error that a request ends with; `nil` when it got a response.
  func failure(_ request: URLRequest, body: RequestBody = .none) async throws -> TransportError? {
    do {
      _ = try await send(request, body: body)
      return nil
    } catch let error as TransportError {
      return error
    }
  }
}

extension CurlAdapter {
  init(_ change: (inout Configuration) -> Void) {
    var configuration = Configuration()
    change(&configuration)
    self.init(configuration)
  }
}

/// Bytes that repeat late, and at no round distance, so that a misplaced piece shows.
func pattern(_ count: Int) -> Data {
  var data = Data(capacity: count)
  while data.count < count { data.append(block.prefix(count - data.count)) }
  return data
}

private let block: Data = {
  var value: UInt32 = 12345
  return Data(
    (0..<65_521).map { _ in
      value = value &* 1_664_525 &+ 1_013_904_223
      return UInt8(value >> 24)
    })
}()

func stream(_ pieces: [Data], length: Int64?) -> RequestBody {
  .stream(
    RequestBodyStream(length: length) {
      let rest = Pieces(pieces)
      return { await rest.next() }
    })
}

actor Pieces {
  private var rest: [Data]
  init(_ pieces: [Data]) { rest = pieces }
  func next() -> Data? { rest.isEmpty ? nil : rest.removeFirst() }
}
