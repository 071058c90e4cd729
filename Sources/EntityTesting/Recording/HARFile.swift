import EntityRequests
import Foundation

/// A recording as a file: HTTP Archive 1.2, the format of browsers and proxies.
struct HARFile: Codable {
  struct Log: Codable {
    var version = "1.2"
    var creator = ["name": "EntityClient", "version": "1"]
    var entries: [Entry]

    enum CodingKeys: CodingKey { case version, creator, entries }

    init(_ entries: [Entry]) { self.entries = entries }

    /// Other programs write more about themselves.
    init(from decoder: any Decoder) throws {
      entries = try decoder.container(keyedBy: CodingKeys.self).decode([Entry].self, forKey: .entries)
    }
  }

  struct Entry: Codable {
    /// Always the same date, so that a repeated recording differs only where the exchange does.
    var startedDateTime = "1970-01-01T00:00:00.000Z"
    var time = 0.0
    var request: Request
    var response: Response
    var cache: [String: String] = [:]
    var timings = HARTimings()

    enum CodingKeys: CodingKey { case startedDateTime, time, request, response, cache, timings }

    init(request: Request, response: Response) { (self.request, self.response) = (request, response) }

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      request = try values.decode(Request.self, forKey: .request)
      response = try values.decode(Response.self, forKey: .response)
      timings = (try? values.decode(HARTimings.self, forKey: .timings)) ?? HARTimings()
    }
  }

  struct Field: Codable {
    var name: String
    var value: String
  }

  struct Content: Codable {
    var size: Int?
    var mimeType: String?
    var text: String?
    /// `base64` for bytes that are not UTF-8.
    var encoding: String?

    /// - Parameter type: The value of `Content-Type`.
    init(_ data: Data, type: String?) {
      size = data.count
      mimeType = type ?? ""
      text = String(validating: data, as: UTF8.self)
      if text == nil { (text, encoding) = (data.base64EncodedString(), "base64") }
    }

    var data: Data {
      get throws {
        // Browsers leave out the texts of large bodies.
        if text == nil, let size, size > 0 { throw RecordingError("A body of \(size) bytes has no text.") }
        return try HARFile.data(text, encoding)
      }
    }
  }

  /// The body of a request. The format defines no encoding for it.
  struct PostData: Codable {
    var mimeType: String?
    var text: String?
    /// `base64` for bytes that are not UTF-8.
    var _encoding: String?
    /// Other programs write it under the name that a response has for it.
    var encoding: String?

    /// - Parameter type: The value of `Content-Type`.
    init(_ data: Data, type: String?) {
      let content = Content(data, type: type)
      (mimeType, text, _encoding) = (content.mimeType, content.text, content.encoding)
    }

    var data: Data { get throws { try HARFile.data(text, _encoding ?? encoding) } }
  }

  private static func data(_ text: String?, _ encoding: String?) throws -> Data {
    guard encoding == "base64" else { return Data((text ?? "").utf8) }
    // Some programs break lines anywhere. Everything else is an error.
    let text = (text ?? "").filter { !$0.isWhitespace }
    guard let data = Data(base64Encoded: text) else { throw RecordingError("A body is no base64.") }
    return data
  }

  struct Request: Codable {
    var method: String
    var url: String
    var httpVersion: String? = "HTTP/1.1"
    var cookies: [Field]? = []
    var headers: [Field]
    var queryString: [Field]? = []
    var postData: PostData?
    var headersSize: Int? = -1
    var bodySize: Int? = -1
    /// The number of bytes of head and body.
    var _transferSize: Int64?
  }

  struct Response: Codable {
    /// 0 where no response came.
    var status: Int
    var statusText: String? = ""
    var httpVersion: String? = "HTTP/1.1"
    var cookies: [Field]? = []
    var headers: [Field]
    var content: Content?
    var redirectURL: String? = ""
    var headersSize: Int? = -1
    var bodySize: Int? = -1
    /// The number of bytes of head and body, as browsers write it.
    var _transferSize: Int64?
    var _error: Failure?
  }

  struct Failure: Codable {
    var kind: String
    var message: String
    var mayHaveBeenProcessed: Bool

    init(_ error: TransportError) {
      kind = "\(error.kind)"
      message = error.message
      mayHaveBeenProcessed = error.mayHaveBeenProcessed
    }

    /// Browsers write a text.
    init(from decoder: any Decoder) throws {
      if let text = try? decoder.singleValueContainer().decode(String.self) {
        (kind, message, mayHaveBeenProcessed) = ("other", text, true)
        return
      }
      let values = try decoder.container(keyedBy: CodingKeys.self)
      kind = try values.decode(String.self, forKey: .kind)
      message = try values.decode(String.self, forKey: .message)
      mayHaveBeenProcessed = try values.decode(Bool.self, forKey: .mayHaveBeenProcessed)
    }

    func error(_ metrics: TransferMetrics?) -> TransportError {
      let kind = TransportError.Kind.allCases.first { "\($0)" == self.kind } ?? .other
      return TransportError(kind, message, mayHaveBeenProcessed: mayHaveBeenProcessed, metrics: metrics)
    }
  }

  var log: Log

  init(_ interactions: [RecordedInteraction]) { log = Log(interactions.map(Entry.init)) }

  init(_ data: Data) throws { self = try JSONDecoder().decode(HARFile.self, from: data) }

  /// The file's bytes, with sorted keys, so that versions can be compared.
  var data: Data {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      return try encoder.encode(self) + Data("\n".utf8)
    }
  }

  var interactions: [RecordedInteraction] { get throws { try log.entries.map { try $0.interaction } } }
}

extension HARFile.Entry {
  init(_ interaction: RecordedInteraction) {
    request = HARFile.Request(
      method: interaction.method.rawValue, url: interaction.url, headers: Self.fields(interaction.headers),
      postData: interaction.body.isEmpty
        ? nil : HARFile.PostData(interaction.body, type: interaction.headers["Content-Type"]))
    switch interaction.outcome {
    case .success(let answer):
      response = HARFile.Response(
        status: answer.status, headers: Self.fields(answer.headers),
        content: HARFile.Content(answer.body, type: answer.headers["Content-Type"]))
    case .failure(let error):
      response = HARFile.Response(status: 0, headers: [], _error: HARFile.Failure(error))
    }
    guard let metrics = interaction.metrics else { return }
    timings = HARTimings(metrics)
    time = timings.time
    (request._transferSize, response._transferSize) = (metrics.bytesSent, metrics.bytesReceived)
    if let version = metrics.httpVersion { (request.httpVersion, response.httpVersion) = (version, version) }
  }

  private var metrics: TransferMetrics? {
    guard var metrics = timings.metrics else { return nil }
    (metrics.bytesSent, metrics.bytesReceived) = (request._transferSize, response._transferSize)
    if response.status == 0 {
      metrics.firstByte = nil
    } else {
      metrics.httpVersion = response.httpVersion
    }
    return metrics
  }

  var interaction: RecordedInteraction {
    get throws {
      guard let method = HTTPMethod(rawValue: request.method) else {
        throw RecordingError("'\(request.method)' is no method.")
      }
      let outcome: Result<HTTPResponse, TransportError> =
        if let failure = response._error ?? (response.status == 0 ? HARFile.Failure(Self.unknown) : nil) {
          .failure(failure.error(metrics))
        } else {
          .success(
            HTTPResponse(
              status: response.status, headers: Self.headers(response.headers), url: URL(string: request.url),
              body: try response.content?.data ?? Data(), metrics: metrics))
        }
      return RecordedInteraction(
        method: method, url: request.url, headers: Self.headers(request.headers),
        body: try request.postData?.data ?? Data(), outcome: outcome)
    }
  }

  private static var unknown: TransportError {
    TransportError(.other, "No response was recorded.", mayHaveBeenProcessed: true)
  }

  private static func fields(_ headers: HTTPHeaders) -> [HARFile.Field] {
    headers.map { HARFile.Field(name: $0.name, value: $0.value) }
  }

  private static func headers(_ fields: [HARFile.Field]) -> HTTPHeaders {
    var headers = HTTPHeaders()
    for field in fields { headers.add(field.value, to: field.name) }
    return headers
  }
}

/// A recording that can't be read or written.
public struct RecordingError: Error, Sendable, CustomStringConvertible {
  /// The reason, for a person.
  public let description: String

  init(_ description: String) { self.description = description }
}
