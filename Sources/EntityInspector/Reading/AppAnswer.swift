import Dispatch
import EntityStore
import Synchronization

/// The answer of an actor of the app to a page.
///
/// A page waits for it on the thread of its connection, which no task needs, and before it reads the file: an app that is busy
/// delays the page, and neither a commit nor a checkpoint.
enum AppAnswer<Value: Sendable>: Sendable {
  case value(Value)
  /// Why there is none, for a person.
  case problem(String)

  /// Asks, and waits for a second.
  ///
  /// - Parameters:
  ///   - name: The one that is asked, as the subject of a sentence.
  ///   - ask: Asks.
  /// - Returns: `nil` where `ask` returns `nil`.
  init?(of name: String, _ ask: @escaping @Sendable () async throws -> Value?) {
    let reply = Reply<Value>()
    let task = Task {
      do { reply.take(.success(try await ask())) } catch { reply.take(.failure(error)) }
    }
    switch reply.waited(.seconds(1)) {
    case .success(let value):
      guard let value else { return nil }
      self = .value(value)
    case .failure(let error):
      self = .problem("\(name) can't answer: \((error as? StoreError)?.description ?? "\(error)")")
    case nil:
      task.cancel()
      self = .problem("\(name) did not answer within a second.")
    }
  }

  var value: Value? { if case .value(let value) = self { value } else { nil } }

  var problem: String? { if case .problem(let sentence) = self { sentence } else { nil } }
}

private final class Reply<Value: Sendable>: Sendable {
  private let arrived = DispatchSemaphore(value: 0)
  private let result = Mutex<Result<Value?, any Error>?>(nil)

  func take(_ result: Result<Value?, any Error>) {
    self.result.withLock { $0 = result }
    arrived.signal()
  }

  /// - Returns: `nil` where nothing came in time.
  func waited(_ time: DispatchTimeInterval) -> Result<Value?, any Error>? {
    guard arrived.wait(timeout: .now() + time) == .success else { return nil }
    return result.withLock(\.self)
  }
}
