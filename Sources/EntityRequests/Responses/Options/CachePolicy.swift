/// Whether a GET asks the server, or gives the objects that an earlier answer to the same request had.
///
/// ```swift
/// let users = try await User.get(options: .cache(.cacheFirst(maxAge: .seconds(60))))
/// print(users.origin)                                      // .cache(age: 12.0 seconds), or .network
/// ```
///
/// The store keeps a note of each answer to a request with a policy: which objects it had, and the validators `ETag` and
/// `Last-Modified`. The objects themselves are those of the store as they are now; nothing is kept twice, and an old answer
/// never overwrites newer values. With validators the server is asked whether the answer still holds; 304 writes nothing.
/// A request without a policy leaves no note and sends no validators.
public enum CachePolicy: Sendable, Hashable {
  /// Asks the server. Its answer is noted, so that it can say "not modified" the next time.
  case networkOnly
  /// Gives what is known, however old, and sends nothing. Where nothing is known, the request fails with
  /// ``RequestError/Kind/notCached``.
  case cacheOnly
  /// Gives what is known while it is fresh; else asks the server.
  ///
  /// - Parameter maxAge: How long an answer is fresh; `nil` leaves it to the answer's `Cache-Control: max-age`, or else its
  ///   `Expires`, without which it is not (RFC 9111 §4.2.1). A write of the entity ends the freshness of its answers.
  case cacheFirst(maxAge: Duration? = nil)
  /// Gives what is known, however old; where it is not fresh, asks the server as well, and does not wait for the answer.
  /// The client's `onRefreshFailure` hears where that fails.
  ///
  /// - Parameter maxAge: As in ``cacheFirst(maxAge:)``.
  case staleWhileRevalidate(maxAge: Duration? = nil)
  /// Asks the server; where no answer comes, or one of status 500, 502, 503 or 504, gives what is known (RFC 5861 §4).
  case cacheOnFailure
}

/// Where the objects of a response are from.
public enum ResponseOrigin: Sendable, Hashable {
  /// The server sent them.
  case network
  /// The server said that its earlier answer still holds (304). Nothing was written.
  case notModified
  /// The store knew them, and the server was not asked.
  ///
  /// - Parameter age: The time since the server said so last.
  case cache(age: Duration)
}

extension CachePolicy {
  /// The answers of a policy. All policies take the same steps, and differ in these answers alone.
  struct Steps: Equatable {
    /// When what is known is given before the server is asked.
    enum Known: Equatable {
      case never, always
      case whileFresh(Duration?)
    }

    var givesKnown = Known.never
    var asksServer = true
    /// Whether what was given is asked for as well, unless it is fresh for that time.
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
  /// The rule for answers that are known already; by default each request is sent, and no answer is noted. It is one for
  /// GET: another method is refused with it, and so is a walk over pages. `upsert(from:)` passes it over.
  ///
  /// - Parameter policy: The rule.
  public static func cache(_ policy: CachePolicy) -> Self {
    var options: Self = []
    options.cache = policy
    return options
  }
}
