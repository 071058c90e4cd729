public import EntityRequests

/// One way in which a request gets no response. A ``FaultAdapter`` injects it.
public struct Fault: Sendable, CustomStringConvertible {
  enum Place: Sendable {
    case unsent, lost
    case broken(after: Int)
  }

  let place: Place
  let error: TransportError

  /// The request does not reach the server. The adapter inside the ``FaultAdapter`` does not get it.
  ///
  /// - Parameters:
  ///   - kind: The kind of the error.
  ///   - message: Its message.
  public static func unsent(_ kind: TransportError.Kind, _ message: String = "an injected fault") -> Fault {
    Fault(place: .unsent, error: TransportError(kind, message, mayHaveBeenProcessed: false))
  }

  /// The server acts on the request, and its response is lost. If the request is sent again, the server acts on it
  /// twice.
  ///
  /// - Parameters:
  ///   - kind: The kind of the error.
  ///   - message: Its message.
  public static func lost(_ kind: TransportError.Kind, _ message: String = "an injected fault") -> Fault {
    Fault(place: .lost, error: TransportError(kind, message, mayHaveBeenProcessed: true))
  }

  /// The server acts on the request, and the body of its response breaks off. A stream delivers the bytes before the
  /// break.
  ///
  /// - Parameters:
  ///   - bytes: The number of bytes that arrive. A shorter body arrives whole, but without its end.
  ///   - kind: The kind of the error.
  ///   - message: Its message.
  public static func broken(
    after bytes: Int, _ kind: TransportError.Kind = .badResponse, _ message: String = "an injected fault"
  ) -> Fault {
    Fault(place: .broken(after: max(0, bytes)), error: TransportError(kind, message, mayHaveBeenProcessed: true))
  }

  /// Each error of a transport: once for a request that did not reach the server and, where that is possible, once for
  /// a request that did; and a body that breaks off at its beginning, or after it.
  public static var all: [Fault] {
    let before: [TransportError.Kind] = [
      .invalidRequest, .unsupported, .nameResolution, .offline, .forbiddenAddress,
    ]
    let faults = TransportError.Kind.allCases.flatMap { kind -> [Fault] in
      before.contains(kind) ? [unsent(kind)] : [unsent(kind), lost(kind)]
    }
    return faults + [broken(after: 0), broken(after: 1)]
  }

  public var description: String {
    switch place {
    case .unsent: "\(error.kind), not sent"
    case .lost: "\(error.kind), the response is lost"
    case .broken(let bytes): "\(error.kind) after \(bytes) bytes"
    }
  }
}

/// The requests of a rule that get its fault.
public struct FaultTurn: Sendable {
  let includes: @Sendable (Int) -> Bool

  /// Each request.
  public static let each = FaultTurn { _ in true }

  /// The first requests.
  ///
  /// - Parameter count: The number of requests.
  public static func first(_ count: Int) -> FaultTurn { FaultTurn { $0 <= count } }

  /// One request.
  ///
  /// - Parameter number: The number of the request, from 1.
  public static func number(_ number: Int) -> FaultTurn { FaultTurn { $0 == number } }

  /// Every request after a number of others: with 3, the third, the sixth and so on.
  ///
  /// - Parameter step: The distance between two such requests; 1 means each request.
  public static func every(_ step: Int) -> FaultTurn { FaultTurn { $0.isMultiple(of: max(1, step)) } }
}
