public import EntityRequests
import HTTPFoundation

/// One line of the log of an adapter: a request was sent, was answered, or failed, or the body of a streamed response ended.
///
/// The description and ``curlCommand`` can be logged. They hold no values of a query, no user info, no values of header fields
/// that may be secrets, and nothing of a body.
public struct LogLine: Sendable, CustomStringConvertible, CustomReflectable {
  /// The event in the life of the request.
  public enum Event: Sendable, Equatable {
    /// The request goes to the transport now.
    case sent
    /// The response came. `bytes` is `nil` for a streamed body; another line tells how that body ended.
    case answered(status: Int, bytes: Int?)
    /// The body of a streamed response was read to its end.
    case bodyEnded(bytes: Int)
    /// The streamed response was dropped before its body was read to its end. `bytes` is the number of bytes that were
    /// read.
    case bodyDropped(bytes: Int)
    /// There is no response, or the body of a streamed response broke off. The text can be logged.
    case failed(String)
    /// The task was cancelled before a response was there, or while the body of a streamed response was read.
    case cancelled
  }

  /// The number of the request, the same in all of its lines. The adapter counts requests from 1.
  public let number: Int
  /// The event in the life of the request.
  public let event: Event
  /// The time since the request was sent; `nil` in the line that says that it was sent.
  public let duration: Duration?
  /// The figures of the transport. `nil` when its transfer has not ended, as at the head of a streamed response, and
  /// when the transport measures nothing.
  public let metrics: TransferMetrics?
  private let request: URLRequest
  private let body: RequestBody

  init(
    _ call: AdapterCall, number: Int, _ event: Event, after duration: Duration? = nil, _ metrics: TransferMetrics? = nil
  ) {
    self.number = number
    self.event = event
    self.duration = duration
    self.metrics = metrics
    request = call.request
    body = call.body
  }

  /// The method of the request, such as `GET`.
  public var method: String { request.httpMethod ?? "GET" }

  /// The URL without user info, fragment and the values of the query.
  public var url: String { request.url?.shown ?? "no URL" }

  /// One line: `#7 GET https://api.example.com/users?page=…: 200, 1234 bytes, 87 ms`. If the transport measures them,
  /// the ``metrics`` follow: ` (new connection in 14 ms, first byte after 80 ms)`.
  public var description: String {
    let head = "#\(number) \(method) \(url)"
    let time = (duration.map { ", \($0.milliseconds)" } ?? "") + (metrics?.summary.map { " (\($0))" } ?? "")
    switch event {
    case .sent: return head
    case .answered(let status, let bytes): return "\(head): \(status)\(bytes.map { ", \($0) bytes" } ?? "")\(time)"
    case .bodyEnded(let bytes): return "\(head): body of \(bytes) bytes\(time)"
    case .bodyDropped(let bytes): return "\(head): body dropped after \(bytes) bytes\(time)"
    case .failed(let why): return "\(head): \(why)\(time)"
    case .cancelled: return "\(head): cancelled\(time)"
    }
  }

  public var customMirror: Mirror { Mirror(self, children: [:]) }

  /// The request as a command for a shell, with `…` for all that may be a secret.
  public var curlCommand: String { curlCommand(showingSecrets: false) }

  /// The request as a command for a shell that sends it again, if the command can hold its body.
  ///
  /// A body of more than 64 KiB, or a body that is no text of UTF-8, is shown by its size. The tool reads a file from
  /// its path, and a stream from the standard input.
  ///
  /// - Parameter showingSecrets: Whether credentials, values of the query and the body are in it. Keep such a command out of
  ///   logs.
  public func curlCommand(showingSecrets: Bool) -> String {
    CurlCommand(request, body, showsSecrets: showingSecrets).text
  }
}
