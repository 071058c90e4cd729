public import EntityJSON

/// Tells refusals from successes, for a service that answers a refusal with a status of success, and finds the words of a
/// refusal.
///
/// ```swift
/// static var verdict: ResponseVerdict? { .errors() }            // GraphQL: {"errors": [{"message": "…"}], "data": null}
/// static var verdict: ResponseVerdict? { .flag("ok") }          // {"ok": false, "error": "not_authed"}
/// static var verdict: ResponseVerdict? { .words(at: "message") }  // 422 with {"message": "…"}
/// static var verdict: ResponseVerdict? {
///   ResponseVerdict { response, body in body?["code"]?.int == 0 ? nil : .refused("The code is not 0.") }
/// }
/// ```
///
/// The client, an entity and a request can have a verdict; that of the request comes before that of the entity, and both
/// before that of the client. It looks at each response with a status from 200 to 299, to each verb, on each page, and to
/// requests of the outbox. A refusal is an error of kind ``RequestError/Kind/status``, with the error model of the body, as
/// for any other status without success. Nothing of the response is written, no row is deleted, and no note is kept for a
/// cache policy. A streamed response is looked at when its list has ended: the groups before are committed then, and
/// ``RequestError/committed`` counts them.
///
/// A response with another status is a refusal in any case. The verdict is asked for the words of the server alone,
/// ``RequestError/serverMessage``, and what it throws counts as no words.
public struct ResponseVerdict: Sendable {
  /// A response that the server meant as a refusal.
  public struct Refusal: Sendable {
    let message: String
    let serverMessage: String?

    /// - Parameters:
    ///   - message: The reason. It is the ``RequestError/message`` of the error, which goes into logs: leave out values of
    ///     the body.
    ///   - serverMessage: The words of the server, ``RequestError/serverMessage``.
    public static func refused(_ message: String, serverMessage: String? = nil) -> Refusal {
      Refusal(message: message, serverMessage: serverMessage)
    }
  }

  let judge: @Sendable (HTTPResponse, JSONValue?) throws -> Refusal?

  /// A verdict of the app's own.
  ///
  /// - Parameter judge: Returns the refusal; `nil` for a success. Its second parameter is the parsed body; `nil` when there
  ///   is none. Of a streamed response it is the body with an empty list. It is called on any thread.
  public init(_ judge: @escaping @Sendable (HTTPResponse, JSONValue?) throws -> Refusal?) { self.judge = judge }

  /// A body with errors is a refusal, also where data stands beside them: as the GraphQL specification has them (§7.1.2).
  /// An empty list, object or text, null and false are no errors.
  ///
  /// - Parameters:
  ///   - keyPath: Where the errors stand in the body.
  ///   - message: Where the words of the server stand: in the first error, if there is a list.
  public static func errors(at keyPath: String = "errors", message: String = "message") -> Self {
    Self { _, body in
      guard let errors = body?[keyPath], errors.saysSomething else { return nil }
      let first = errors.array?.first { _ in true } ?? errors
      return .refused(
        "The server refused the request: its answer has errors under '\(keyPath.prefix(200).escaped)'.",
        serverMessage: first.string ?? first[message]?.string)
    }
  }

  /// A body with a flag that says no is a refusal: false, 0, or one of these as a text. A body without the flag is none.
  ///
  /// - Parameters:
  ///   - keyPath: Where the flag stands in the body.
  ///   - message: Where the words of the server stand in the body.
  public static func flag(_ keyPath: String, message: String = "error") -> Self {
    Self { _, body in
      guard let flag = body?[keyPath], !flag.isNull, !flag.saysSomething || ["false", "0"].contains(flag.string) else {
        return nil
      }
      return .refused(
        "The server refused the request: '\(keyPath.prefix(200).escaped)' says so in its answer.",
        serverMessage: body?[message]?.string ?? body?[message]?["message"]?.string)
    }
  }

  /// The words of a refusal, for a service whose status says what is refused: a body with a status of success is none.
  ///
  /// - Parameter keyPath: Where the words stand in the body: a text, or a list or an object, of which the first text
  ///   counts. `errors` has them in `{"errors": {"title": ["can't be blank"]}}`, and `[0].message` in a list of errors.
  public static func words(at keyPath: String) -> Self {
    Self { response, body in
      if (200...299).contains(response.status) { return nil }
      return body?[keyPath]?.firstText.map { .refused("The server refused the request.", serverMessage: $0) }
    }
  }

  /// The first refusal that one of several verdicts finds.
  public static func first(of verdicts: ResponseVerdict...) -> Self {
    Self { response, body in
      for verdict in verdicts {
        if let refusal = try verdict.judge(response, body) { return refusal }
      }
      return nil
    }
  }
}

extension ResponseOptions {
  /// Tells refusals from successes. It comes before the verdicts of the entity and the client.
  public static func verdict(_ verdict: ResponseVerdict) -> Self { Self { $0.verdict = verdict } }
}

extension JSONValue {
  /// A text that is not empty, or the first of those in a list or an object.
  fileprivate var firstText: String? {
    switch kind {
    case .string: isEmptyString ? nil : string
    case .array: array?.lazy.compactMap(\.firstText).first
    case .object: object?.lazy.compactMap(\.value.firstText).first
    default: nil
    }
  }

  /// Whether a value is more than null, false, 0, and a text, a list or an object without content.
  fileprivate var saysSomething: Bool {
    switch kind {
    case .null: false
    case .bool: bool == true
    case .number: double != 0
    case .string: !isEmptyString
    case .array: array?.isEmpty == false
    case .object: object?.count != 0
    }
  }
}
