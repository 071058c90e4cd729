/// A status of responses, a range of them, or any. A number is a pattern: `200`.
public enum StatusPattern: Sendable, Hashable, ExpressibleByIntegerLiteral, CustomStringConvertible {
  /// Each status, and a response without a known status.
  case any
  /// One status.
  case status(Int)
  /// Each status of a range.
  case range(ClosedRange<Int>)

  /// Each status that says success, 200 to 299 (RFC 9110 §15.3).
  public static let success = StatusPattern.range(200...299)
  /// Each status of a redirection, 300 to 399 (RFC 9110 §15.4).
  public static let redirection = StatusPattern.range(300...399)
  /// Each status of an error of the client, 400 to 499 (RFC 9110 §15.5).
  public static let clientError = StatusPattern.range(400...499)
  /// Each status of an error of the server, 500 to 599 (RFC 9110 §15.6).
  public static let serverError = StatusPattern.range(500...599)
  /// Each status of an error, 400 to 599.
  public static let failure = StatusPattern.range(400...599)

  /// One status.
  public init(integerLiteral value: Int) { self = .status(value) }

  /// True when the pattern includes the status of a response.
  ///
  /// - Parameter status: A status; `nil` when none is known, as of a body that was delivered alone.
  public func matches(_ status: Int?) -> Bool {
    guard let status else { return self == .any }
    return bounds.contains(status)
  }

  /// `200`, `2xx`, `200-204` or `any`.
  public var description: String {
    switch self {
    case .any: return "any"
    case .status(let status): return "\(status)"
    case .range(let range):
      let first = range.lowerBound
      let isClass = (100...500).contains(first) && first % 100 == 0 && range.upperBound == first + 99
      return isClass ? "\(first / 100)xx" : "\(first)-\(range.upperBound)"
    }
  }
}

extension StatusPattern {
  /// Every status that there is (RFC 9110 §15).
  static let known = 100...599

  /// The first and the last status.
  var bounds: ClosedRange<Int> {
    switch self {
    case .any: Int.min...Int.max
    case .status(let status): status...status
    case .range(let range): range
    }
  }

  /// True when both are equally exact and have a status in common.
  func ties(with other: StatusPattern) -> Bool { breadth == other.breadth && bounds.overlaps(other.bounds) }

  /// The more exact one of two is less broad: one status, a narrow range, a wide range, any.
  var breadth: UInt { UInt(bitPattern: bounds.upperBound &- bounds.lowerBound) }
}
