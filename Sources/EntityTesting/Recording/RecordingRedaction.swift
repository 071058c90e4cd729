import EntityRedaction
import EntityRequests

/// Takes the secrets out of a recording before it is written, and out of requests before they are compared with the
/// recording.
///
/// - A value is a secret if its name says so, as `Authorization`, `access_token` and `clientSecret` do. It may be the
///   name of a header field, of a parameter of a query, fragment or form, of a key of JSON, or of an element or
///   attribute of XML. All texts and numbers below it are secrets too. `token_type`, `session_expires_at`,
///   `nextPageToken` and a number of `tokens` are not secret.
/// - The user info of a URL is a secret. Where the URL is cut before its `@`, a name with a password is one, and so is a text
///   that looks like a token.
/// - The header fields of a request keep their values only if they are known to be harmless.
/// - `access` and `refresh` are secrets if the value looks random; so are `code` outside of XML, and `key` in queries,
///   fragments and forms. There `code` is one also beside other fields of OAuth. The password of Basic is a secret, and so are parameters of credentials with a secret's name.
/// - A secret of eight bytes or more is also taken out of every other place in the recording: as it is,
///   percent-encoded, in a form, with the escapes of JSON or XML, in base64, and in combinations of these.
///
/// Each value is read in its format: forms and forms with files, JSON, XML and HTML, and URLs. These may be nested,
/// such as JSON in a text of JSON, or a URL in the query of another URL. A body is read in its charset. The bytes of an image are not
/// read as text. Where the content type or the first character says that a body is a text, and it can't be read as one, as JSON that
/// is no UTF-8 or is compressed, its size and its type stand in its place.
public struct RecordingRedaction: Sendable {
  /// The text in place of a secret. A number becomes 0.
  public static let mark = RedactionPass.mark

  let names: SecretNames
  private let change: @Sendable (inout RecordedInteraction) -> Void

  /// The redaction of names that are usually secret.
  public static let standard = RecordingRedaction()

  /// The redaction of names that are usually secret, and of more names.
  ///
  /// - Parameters:
  ///   - names: Other names whose values are secrets, in upper or lower case.
  ///   - exceptions: Names whose values are not secrets.
  ///   - change: Changes an interaction after the redaction by names. It is also called for requests to compare, so the
  ///     result must depend on the interaction alone, and a second call must change nothing more.
  public init(
    names: [String] = [], except exceptions: [String] = [],
    _ change: @escaping @Sendable (inout RecordedInteraction) -> Void = { _ in }
  ) {
    self.names = SecretNames(names, except: exceptions)
    self.change = change
  }

  /// The interactions of a recording. A secret of one interaction is a secret in all.
  func redacted(_ interactions: [RecordedInteraction]) -> [RecordedInteraction] {
    var pass = RedactionPass(names: names)
    for interaction in interactions { _ = pass.interaction(interaction) }
    pass.takeOutWhatWasNoted()
    return interactions.map { interaction in
      var found = pass.interaction(interaction)
      change(&found)
      return found
    }
  }

  /// An interaction whose request is to be compared. Its outcome stays.
  func withRequestRedacted(_ interaction: RecordedInteraction) -> RecordedInteraction {
    var pass = RedactionPass(names: names)
    _ = pass.request(interaction)
    pass.takeOutWhatWasNoted()
    var found = pass.request(interaction)
    change(&found)
    found.outcome = interaction.outcome
    return found
  }
}

extension RedactionPass {
  fileprivate mutating func interaction(_ interaction: RecordedInteraction) -> RecordedInteraction {
    var found = request(interaction)
    switch interaction.outcome {
    case .success(var response):
      response.body = body(response.body, type: response.headers["Content-Type"])
      response.headers = responseHeaders(response.headers)
      response.url = nil
      found.outcome = .success(response)
    case .failure(let error):
      found.outcome = .failure(
        TransportError(
          error.kind, text(error.message), code: error.code, mayHaveBeenProcessed: error.mayHaveBeenProcessed,
          metrics: error.metrics))
    }
    return found
  }

  fileprivate mutating func request(_ interaction: RecordedInteraction) -> RecordedInteraction {
    var found = interaction
    found.url = text(found.url)
    found.body = body(found.body, type: found.headers["Content-Type"])
    found.headers = requestHeaders(found.headers)
    return found
  }
}
