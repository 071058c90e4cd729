import EntityRequests
import HTTPFoundation

/// The requests that one call has led to so far, and the rules for the next.
struct RedirectTrail {
  let policy: RedirectPolicy
  private var hops: [URL] = []
  /// Method and URL of each request.
  private var seen: Set<String> = []
  /// Whether a server may have done the request before it sent a redirect.
  private(set) var mayHaveActed = false

  init(policy: RedirectPolicy) { self.policy = policy }

  /// The call that a response leads to; `nil` when the response is no redirect.
  ///
  /// - Throws: ``RedirectError``.
  mutating func next(after response: some HeadedResponse, to call: AdapterCall) throws -> AdapterCall? {
    guard [301, 302, 303, 307, 308].contains(response.status), let url = call.request.url?.absoluteURL else {
      return nil
    }
    let locations = Set(response.headers.values(of: "Location"))
    guard let location = locations.first else { return nil }
    hops.append(url)
    if response.status != 307, response.status != 308 { mayHaveActed = true }
    seen.insert("\(call.method) \(url.absoluteString)")

    func refusal(_ reason: RedirectError.Reason, _ target: URL?) -> RedirectError {
      RedirectError(
        reason: reason, target: target, hops: hops, status: response.status, mayHaveBeenProcessed: mayHaveActed)
    }
    guard locations.count == 1, let target = Self.target(location, from: url) else {
      throw refusal(.invalidLocation, nil)
    }
    guard let scheme = target.scheme?.lowercased(), scheme == "https" || scheme == "http" else {
      throw refusal(.unsupportedScheme, target)
    }
    guard target.host()?.isEmpty == false else { throw refusal(.invalidLocation, target) }
    guard target.user() == nil, target.password() == nil else { throw refusal(.userInfo, target) }
    guard url.scheme?.lowercased() != "https" || scheme == "https" else { throw refusal(.insecure, target) }
    let isElsewhere = !target.hasSameOrigin(as: url)
    guard !isElsewhere || policy.followsOtherOrigins else { throw refusal(.otherOrigin, target) }

    var next = call
    next.request.url = target
    if Self.becomesGET(call.method, response.status) {
      next.request.httpMethod = "GET"
      next.body = .none
      // An adapter may read the body from the request.
      next.request.httpBody = nil
      next.request.httpBodyStream = nil
      next.request.keepFields { !Self.fieldsOfBody.contains($0) }
    }
    // These validators are those of the first URL's answer, and another resource may have an equal one. A write keeps
    // its preconditions, because it could overwrite without them.
    if next.method == "GET" || next.method == "HEAD" {
      next.request.keepFields { $0 != "if-none-match" && $0 != "if-modified-since" }
    }
    if isElsewhere {
      let also = Set(policy.fieldsForOtherOrigins.map { $0.lowercased() })
      next.request.keepFields { Self.fieldsForAll.contains($0) || Self.fieldsOfBody.contains($0) || also.contains($0) }
    }
    guard !seen.contains("\(next.method) \(target.absoluteString)") else { throw refusal(.loop, target) }
    guard hops.count <= policy.limit else { throw refusal(.limit, target) }
    guard next.body.isReplayable else { throw refusal(.bodyNotReplayable, target) }
    return next
  }

  /// RFC 9110 §10.2.2. The fragment is never sent (§4.2.5).
  private static func target(_ location: String, from url: URL) -> URL? {
    let text = location.trimmingCharacters(in: [" ", "\t"]).prefix { $0 != "#" }
    guard !location.isEmpty, HeaderField.isValue(location) else { return nil }
    return URL(string: String(text), relativeTo: url)?.absoluteURL
  }

  /// RFC 9110 §15.4.2 to §15.4.4: as all browsers do it.
  private static func becomesGET(_ method: String, _ status: Int) -> Bool {
    switch status {
    case 301, 302: method == "POST"
    case 303: method != "HEAD" && method != "GET"
    default: false
    }
  }

  /// RFC 9110 §15.4.
  private static let fieldsOfBody: Set<String> = [
    "content-type", "content-encoding", "content-language", "content-location", "content-disposition", "content-length",
    "content-digest", "repr-digest", "digest", "last-modified", "transfer-encoding", "expect",
  ]

  /// Fields that say nothing about the sender.
  private static let fieldsForAll: Set<String> = [
    "accept", "accept-charset", "accept-encoding", "accept-language", "user-agent", "cache-control", "pragma", "range",
    "if-range", "if-match", "if-unmodified-since", "if-none-match", "if-modified-since", "prefer", "idempotency-key",
  ]
}

extension URLRequest {
  /// Removes the header fields whose name, in lower case, is not to be kept.
  fileprivate mutating func keepFields(_ isKept: (String) -> Bool) {
    for name in (allHTTPHeaderFields ?? [:]).keys where !isKept(name.lowercased()) {
      setValue(nil, forHTTPHeaderField: name)
    }
  }
}
