import EntityJSON
import EntityStore
import HTTPFoundation

/// The content of the note of an answer besides its objects: the status, and the header fields for its comparison and
/// its freshness. Other fields may hold secrets, and are left out.
struct KeptAnswer: Codable, Equatable, Sendable {
  var status: Int
  var headers: [String: String] = [:]
  /// The request's fields that the answer depends on (`Vary`, RFC 9110 §12.5.5), as a hash of their values.
  var selection: String?
  /// How long the answer is fresh by its `Expires`, in seconds; `nil` when its `Cache-Control` says it, or no field
  /// does. The dates themselves are not kept, because they differ between equal answers.
  private(set) var expiry: Double?
  /// The time for which caches between the server and this client had the answer, in seconds (RFC 9111 §5.1); `nil` for none.
  private(set) var age: Double?

  private static let names = ["ETag", "Last-Modified", "Cache-Control", "Content-Type", "Vary"]

  /// `nil` for an answer that must not be kept.
  init?(_ response: HTTPResponse, to request: URLRequest) {
    // A part of the whole (206) can't be given in place of the whole.
    guard (200...299).contains(response.status), response.status != 206 else { return nil }
    guard !CacheControl(response.headers).isNotStored else { return nil }
    status = response.status
    for name in Self.names where response.headers[name] != nil {
      headers[name] = response.headers.values(of: name).joined(separator: ", ")
    }
    guard Self.varying(headers["Vary"])?.contains("*") != true else { return nil }
    selection = selection(of: request)
    expiry = Self.expiry(response.headers)
    age = Self.age(response.headers)
  }

  /// How long the answer is fresh, in seconds from its arrival; `nil` when the server does not say so (RFC 9111 §4.2.1).
  /// `s-maxage` is for shared caches only.
  var lifetime: Double? { (CacheControl(httpHeaders).maxAge ?? expiry).map { max(0, $0 - (age ?? 0)) } }

  private static func age(_ headers: HTTPHeaders) -> Double? { headers["Age"].flatMap(UInt32.init).map(Double.init) }

  private static func expiry(_ headers: HTTPHeaders) -> Double? {
    let dates = headers.values(of: "Expires")
    guard !dates.isEmpty, CacheControl(headers).maxAge == nil else { return nil }
    let now = AnswerClock.now()
    // A date that can't be read counts as past: servers send `0` (§5.3). Several dates count as past too.
    guard dates.count == 1, let expires = HTTPDate.seconds(dates[0], now: now) else { return 0 }
    // The server's clock may differ from ours, so its own `Date` counts. Without it, the answer counts as made now
    // (§4.2.3). Dates are whole seconds, so the fraction of our clock is dropped.
    return max(0, (expires - (headers["Date"].flatMap { HTTPDate.seconds($0, now: now) } ?? now)).rounded(.down))
  }

  /// Reads the text of a note; `nil` for a text in another form.
  init?(_ text: String) {
    guard let answer = try? JSONValueDecoder().decode(KeptAnswer.self, from: text) else { return nil }
    self = answer
  }

  var text: String {
    get throws { String(decoding: try JSONValueEncoder(format: .sorted).bytes(of: self), as: UTF8.self) }
  }

  var httpHeaders: HTTPHeaders {
    var fields = HTTPHeaders()
    for (name, value) in headers.sorted(by: { $0.key < $1.key }) { fields.add(value, to: name) }
    return fields
  }

  /// The answer with the fields of a 304 in place of its own (RFC 9111 §3.2).
  func updated(by response: HTTPHeaders) -> KeptAnswer {
    var answer = self
    // A 304 has the `Expires` that the whole answer would have (RFC 9110 §15.4.5). Without one, the old time is
    // dropped, because its date has come nearer.
    answer.expiry = Self.expiry(response)
    answer.age = Self.age(response)
    for name in Self.names where response[name] != nil && name != "Vary" {
      answer.headers[name] = response.values(of: name).joined(separator: ", ")
    }
    return answer
  }

  /// True when the note of an earlier answer may stay in the file in place of this one. Without `Date`, an `Expires`
  /// that stays the same is nearer with each answer, but the freshness ends at the same moment. So it does in a cache on the way.
  ///
  /// - Parameters:
  ///   - known: The earlier answer.
  ///   - time: When the earlier answer came, in seconds since 1970.
  ///   - now: When this answer came.
  func mayBeNoted(as known: KeptAnswer, of time: Double, at now: Double) -> Bool {
    var same = known
    (same.expiry, same.age) = (expiry, age)
    // The next process must not treat the answer as fresh for longer than this process does. Each end is exact to a
    // second.
    return same == self && now + (lifetime ?? 0) > time + (known.lifetime ?? 0) - 1
  }

  /// True when an earlier answer is fresh until the same moment as this one, exact to a second, and says all else that this one
  /// says: only the times of a cache on the way are others.
  ///
  /// - Parameters:
  ///   - known: The earlier answer.
  ///   - time: When the earlier answer came, in seconds since 1970.
  ///   - now: When this answer came.
  func endsTogether(with known: KeptAnswer, of time: Double, at now: Double) -> Bool {
    var same = known
    (same.expiry, same.age) = (expiry, age)
    let rest = max(0, time + (known.lifetime ?? 0) - now)
    return same == self && abs((lifetime ?? 0) - rest) < 1
  }

  // MARK: Asking

  /// The fields that ask whether the answer still holds (RFC 9110 §13.1); validators are sent as they came.
  var conditions: HTTPHeaders {
    var fields = HTTPHeaders()
    if let tag = headers["ETag"] { fields["If-None-Match"] = tag }
    if let date = headers["Last-Modified"] { fields["If-Modified-Since"] = date }
    return fields
  }

  /// True when the answer is one to this request: the fields in `Vary` have the same values.
  func isAnswer(to request: URLRequest) -> Bool { selection == selection(of: request) }

  private func selection(of request: URLRequest) -> String? {
    // The name of the note depends on the credentials already.
    let names = (Self.varying(headers["Vary"]) ?? []).filter { !URLRequest.isCredential($0) }
    guard !names.isEmpty else { return nil }
    var hash = SHA256()
    for name in names.sorted() {
      hash.add(name)
      hash.add(request.value(forHTTPHeaderField: name))
    }
    return hash.digits()
  }

  fileprivate static func varying(_ field: String?) -> [String]? {
    field?.split(separator: ",").map { $0.trimmingCharacters(in: [" ", "\t"]).lowercased() }
  }
}

extension AnswerDraft {
  /// The note of an answer that was received now.
  init(_ response: HTTPResponse, to request: URLRequest, _ key: AnswerKey) throws {
    self.init(key: key, text: try KeptAnswer(response, to: request)?.text, time: AnswerClock.now())
  }
}
