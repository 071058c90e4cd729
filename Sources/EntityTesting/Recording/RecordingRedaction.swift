/// Takes the secrets out of a recording before it is written, and out of requests before they are compared with it.
///
/// - A value is a secret where its name says so, as `Authorization`, `access_token` and `clientSecret` do: the name of a header
///   field, of a parameter of a query, fragment or form, of a key of JSON, or of an element or attribute of XML, with all texts
///   and numbers below it. `token_type`, `session_expires_at`, `nextPageToken` and a number of `tokens` are none.
/// - The user info of a URL is a secret.
/// - Of a request's header fields only those keep their values that are known to be harmless.
/// - `code`, `key`, `access` and `refresh` are secrets where the value looks drawn at random; `code` also beside other fields of
///   OAuth. The password of Basic is one, and so are the parameters of credentials that have a secret's name.
/// - A secret of eight bytes or more is taken out wherever else it stands in the recording: as it is, percent-encoded, in a form,
///   with the escapes of JSON or XML, in base64, and in these within each other.
///
/// Each value is read by its format: forms and forms with files, JSON, XML and HTML, URLs, and these within each other, as JSON in
/// a text of JSON or a URL in the query of another one. The bytes of a compressed body, or of an image, are no text.
public struct RecordingRedaction: Sendable {
  /// Stands in place of a secret. A number becomes 0.
  public static let mark = "REDACTED"

  /// Shorter secrets, in bytes, stand in texts by chance: they are taken out where their names stand alone.
  static let shortest = 8

  let names: SecretNames
  private let change: @Sendable (inout RecordedInteraction) -> Void

  /// The redaction of names that are usually secret.
  public static let standard = RecordingRedaction()

  /// The redaction of names that are usually secret, and more.
  ///
  /// - Parameters:
  ///   - names: Other names whose values are secrets, upper and lower case alike.
  ///   - exceptions: Names whose values are none.
  ///   - change: Changes an interaction after the names were seen to. It is called for requests to be compared as well,
  ///     so it depends on the interaction alone, and a second call changes nothing more.
  public init(
    names: [String] = [], except exceptions: [String] = [],
    _ change: @escaping @Sendable (inout RecordedInteraction) -> Void = { _ in }
  ) {
    self.names = SecretNames(names, except: exceptions)
    self.change = change
  }

  /// The interactions of a recording. A secret of one is a secret in all.
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

  /// A URL in a message.
  func shown(_ url: String) -> String {
    var pass = RedactionPass(names: names)
    return pass.text(url)
  }
}
