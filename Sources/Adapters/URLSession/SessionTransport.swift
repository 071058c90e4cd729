internal import EntityRequests
internal import Synchronization
internal import HTTPFoundation

/// The sessions that send, for all adapters.
///
/// They live as long as the process, because `URLSession` on Linux may use memory that is gone when a session ends.
final class SessionTransport: Sendable {
  /// The session whose connections are kept for the next request.
  private let kept: URLSession
  /// The session of requests that need a connection of their own: the server is asked to end each connection.
  private let single: URLSession
  private let exchanges = SessionExchanges()
  private let singleExchanges = SessionExchanges()
  /// All calls of tasks are made here. `URLSession` on Linux takes locks in these calls, and also holds the locks while
  /// it calls its delegate. So a call from a task's cancellation handler could wait for ever.
  private let queue = DispatchQueue(label: "EntityClient.URLSessionAdapter")

  /// The time limit of `URLSession`, in seconds, which the adapter's own limits replace.
  static let endlessly: Double = 7 * 24 * 3600

  /// Each adapter has a limit of its own. With a limit of the session, the exchanges of one adapter would wait for
  /// those of another, while their time limits run.
  private static let connectionsPerHost = 1 << 10

  static let shared = SessionTransport()

  private init() {
    func session(_ exchanges: SessionExchanges) -> URLSession {
      let configuration = URLSessionConfiguration.ephemeral
      configuration.urlCache = nil
      configuration.urlCredentialStorage = nil
      configuration.httpCookieStorage = nil
      configuration.httpCookieAcceptPolicy = .never
      configuration.httpShouldSetCookies = false
      configuration.httpMaximumConnectionsPerHost = Self.connectionsPerHost
      configuration.timeoutIntervalForRequest = Self.endlessly
      configuration.timeoutIntervalForResource = Self.endlessly
      #if !canImport(FoundationNetworking)
        // A request of an app that is offline fails at once.
        configuration.waitsForConnectivity = false
      #endif
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 1
      return URLSession(configuration: configuration, delegate: SessionDelegate(exchanges), delegateQueue: queue)
    }
    kept = session(exchanges)
    single = session(singleExchanges)
  }

  func start(_ exchange: SessionExchange, _ delivery: SessionExchange.Delivery) {
    guard exchange.begin(delivery) else { return }
    let isSingle = exchange.call.needsOwnConnection
    let (session, exchanges) = isSingle ? (single, singleExchanges) : (kept, exchanges)
    queue.async { [queue] in
      guard exchange.isWanted else { return }
      let task = session.task(exchange.call.request, exchange.payload)
      // The task is begun and ended on this queue, so it is never ended before it was begun.
      let runs = exchange.runs { queue.async { task.cancel() } }
      guard runs else { return task.cancel() }
      exchanges.add(exchange, task.taskIdentifier)
      task.resume()
    }
  }
}

extension URLSession {
  fileprivate func task(_ request: URLRequest, _ payload: SessionPayload) -> URLSessionTask {
    switch payload {
    case .none: dataTask(with: request)
    case .data(let data): uploadTask(with: request, from: data)
    case .file(let url, _): uploadTask(with: request, fromFile: url)
    case .temporary(let file, _): uploadTask(with: request, fromFile: file.url)
    }
  }
}

/// The exchanges of a session, by the numbers of their tasks.
final class SessionExchanges: Sendable {
  private let exchanges = Mutex<[Int: SessionExchange]>([:])

  func add(_ exchange: SessionExchange, _ number: Int) { exchanges.withLock { $0[number] = exchange } }
  func exchange(_ task: URLSessionTask) -> SessionExchange? { exchanges.withLock { $0[task.taskIdentifier] } }
  func remove(_ task: URLSessionTask) -> SessionExchange? {
    exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }
  }
}
