/// Whether a GET asks the server, or gives the objects of an earlier answer to the same request.
///
/// ```swift
/// let users = try await User.get(options: .cache(.cacheFirst(maxAge: .seconds(60))))
/// print(users.origin)                                      // .cache(age: 12.0 seconds), or .network
/// ```
///
/// The store keeps a note of each answer to a request with a policy: the ids of its objects, and the validators `ETag`
/// and `Last-Modified`. The objects have the values that the store has now: no value is kept twice, and an old answer
/// never overwrites newer values. With validators the server is asked whether the answer still holds; 304 writes
/// nothing. A request without a policy leaves no note and sends no validators.
public enum CachePolicy: Sendable, Hashable {
  /// Asks the server. A note of its answer is kept, so that the server can say "not modified" the next time.
  case networkOnly
  /// Gives the known answer, however old, and sends nothing. Without a known answer the request fails with
  /// ``RequestError/Kind/notCached``.
  case cacheOnly
  /// Gives the known answer while it is fresh; else asks the server.
  ///
  /// - Parameter maxAge: How long an answer is fresh after it came. With `nil` the answer's `Cache-Control: max-age` says it,
  ///   or else its `Expires`, less the `Age` that it has from caches on the way. Without either, the answer is not fresh (RFC 9111 §4.2.1). A write of the entity ends the
  ///   freshness of its answers.
  case cacheFirst(maxAge: Duration? = nil)
  /// Gives the known answer, however old. When it is not fresh, asks the server as well, and does not wait for the new
  /// answer. The client's `onRefreshFailure` is called when that request fails.
  ///
  /// - Parameter maxAge: As in ``cacheFirst(maxAge:)``.
  case staleWhileRevalidate(maxAge: Duration? = nil)
  /// Asks the server. When no answer comes, or one with status 500, 502, 503 or 504, gives the known answer (RFC 5861
  /// §4).
  case cacheOnFailure
}

/// Where the objects of a response are from.
public enum ResponseOrigin: Sendable, Hashable {
  /// The server sent them.
  case network
  /// The server said that its earlier answer still holds (304). Nothing was written.
  case notModified
  /// The store knew the objects, and the server was not asked.
  ///
  /// - Parameter age: The time since the server last sent or confirmed them.
  case cache(age: Duration)
}

extension CachePolicy {
  /// The decisions of a policy. All policies take the same steps, and differ in these decisions alone.
  struct Steps: Equatable {
    /// When the known answer is given before the server is asked.
    enum Known: Equatable {
      case never, always
      case whileFresh(Duration?)
    }

    var givesKnown = Known.never
    var asksServer = true
    /// Whether the server is asked after the known answer was given. With `whileFresh` it is, unless the answer is
    /// still fresh.
    var refreshes: Known = .never
    var givesKnownOnFailure = false
  }

  var steps: Steps {
    switch self {
    case .networkOnly: Steps()
    case .cacheOnly: Steps(givesKnown: .always, asksServer: false)
    case .cacheFirst(let maxAge): Steps(givesKnown: .whileFresh(maxAge))
    case .staleWhileRevalidate(let maxAge): Steps(givesKnown: .always, refreshes: .whileFresh(maxAge))
    case .cacheOnFailure: Steps(givesKnownOnFailure: true)
    }
  }
}

extension ResponseOptions {
  /// The rule for answers that are known already; by default each request is sent, and no note of an answer is kept.
  /// The rule is for GET: another method is refused with it, and so is an iteration over pages. `upsert(from:)` ignores
  /// it.
  ///
  /// - Parameter policy: The rule.
  public static func cache(_ policy: CachePolicy) -> Self {
    var options: Self = []
    options.cache = policy
    return options
  }
}
