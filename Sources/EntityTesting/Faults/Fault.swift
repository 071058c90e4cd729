public import EntityRequests

/// One way in which a request gets no response: a ``FaultAdapter`` injects it.
public struct Fault: Sendable, CustomStringConvertible {
  enum Place: Sendable {
    case unsent, lost
    case broken(after: Int)
  }

  let place: Place
  let error: TransportError

  /// The request does not reach the server, and the adapter around which the faults are does not hear of it.
  ///
  /// - Parameters:
  ///   - kind: The kind of the error.
  ///   - message: Its message.
  public static func unsent(_ kind: TransportError.Kind, _ message: String = "an injected fault") -> Fault {
    Fault(place: .unsent, error: TransportError(kind, message, mayHaveBeenProcessed: false))
  }

  /// The server acts on the request, and its response is lost. To send the request again does it twice.
  ///
  /// - Parameters:
  ///   - kind: The kind of the error.
  ///   - message: Its message.
  public static func lost(_ kind: TransportError.Kind, _ message: String = "an injected fault") -> Fault {
    Fault(place: .lost, error: TransportError(kind, message, mayHaveBeenProcessed: true))
  }

  /// The server acts on the request, and the body of its response breaks off. A stream has the bytes before.
  ///
  /// - Parameters:
  ///   - bytes: How many bytes of the body arrive; of a shorter body all do, and then its end is missing.
  ///   - kind: The kind of the error.
  ///   - message: Its message.
  public static func broken(
    after bytes: Int, _ kind: TransportError.Kind = .badResponse, _ message: String = "an injected fault"
  ) -> Fault {
    Fault(place: .broken(after: max(0, bytes)), error: TransportError(kind, message, mayHaveBeenProcessed: true))
  }

  /// Each error of a transport, once for a request that did not reach the server and, where that can be, once for one that
  /// did; and a body that breaks off at its beginning and behind it.
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

/// Which of the requests that a rule is for get its fault.
public struct FaultTurn: Sendable {
  let includes: @Sendable (Int) -> Bool

  /// Each of them.
  public static let each = FaultTurn { _ in true }

  /// The first ones.
  ///
  /// - Parameter count: How many.
  public static func first(_ count: Int) -> FaultTurn { FaultTurn { $0 <= count } }

  /// One of them.
  ///
  /// - Parameter number: Which one, from 1.
  public static func number(_ number: Int) -> FaultTurn { FaultTurn { $0 == number } }

  /// Each that comes after as many others: with 3 the third, the sixth and so on.
  ///
  /// - Parameter step: How many; 1 means each.
  public static func every(_ step: Int) -> FaultTurn { FaultTurn { $0.isMultiple(of: max(1, step)) } }
}
