public import EntityRequests
import Foundation
import Synchronization

/// One case of the conformance suite: what every adapter that sends requests itself must do. The server is a raw socket on
/// the loopback interface, and its log is the oracle.
///
/// ```swift
/// @Test(arguments: ConformanceCase.all) func theAdapterConforms(_ one: ConformanceCase) async throws {
///   try await one.check(MyAdapter())
/// }
/// ```
///
/// A fault that is known is pinned: `withKnownIssue(…, when: { one.name == "…" })`.
public struct ConformanceCase: Sendable, CustomStringConvertible {
  /// The name, as a sentence.
  public let name: String
  let body: @concurrent @Sendable (any RequestAdapter) async throws -> Void

  init(_ name: String, _ body: @escaping @concurrent @Sendable (any RequestAdapter) async throws -> Void) {
    (self.name, self.body) = (name, body)
  }

  public var description: String { name }

  /// Every case that an adapter passes which has `send` alone.
  public static var all: [ConformanceCase] { requests + responses + faults + cancellations }

  /// The cases for an adapter that hands out a body while it arrives.
  public static var streaming: [ConformanceCase] { streams }

  /// Runs the case: what an adapter does wrong is an issue of the test.
  ///
  /// - Parameters:
  ///   - adapter: The adapter.
  ///   - limit: The time after which it counts as hanging. The case is left then, whatever it does.
  /// - Throws: ``ConformanceHang``; the error of an adapter that fails where it must not; `CancellationError`.
  @concurrent public func check(_ adapter: any RequestAdapter, within limit: Duration = .seconds(120)) async throws {
    try Task.checkCancellation()
    let end = Once()
    // A group would wait for an adapter that heeds no cancellation.
    let run = Task { [body] in
      let result: Result<Void, any Error>
      do { result = .success(try await body(adapter)) } catch { result = .failure(error) }
      end.set(result)
    }
    // By a clock, for an adapter that hangs has no event to wait for.
    let watchdog = Task { [name] in
      try await Task.sleep(for: limit)
      end.set(.failure(ConformanceHang(name: name)))
      run.cancel()
    }
    defer { watchdog.cancel() }
    let result = await withTaskCancellationHandler {
      await end.value()
    } onCancel: {
      run.cancel()
    }
    try result.get()
  }
}

/// A case that did not come to its end.
public struct ConformanceHang: Error, Sendable, CustomStringConvertible {
  /// The name of the case.
  public let name: String

  public var description: String { "The adapter hangs: \(name)." }
}

/// The first of several results.
private final class Once: Sendable {
  private struct State {
    var result: Result<Void, any Error>?
    var waiter: CheckedContinuation<Result<Void, any Error>, Never>?
  }

  private let state = Mutex(State())

  func set(_ result: Result<Void, any Error>) {
    let waiter = state.withLock { state -> CheckedContinuation<Result<Void, any Error>, Never>? in
      guard state.result == nil else { return nil }
      state.result = result
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(returning: result)
  }

  @concurrent func value() async -> Result<Void, any Error> {
    await withCheckedContinuation { continuation in
      let result = state.withLock { state in
        if state.result == nil { state.waiter = continuation }
        return state.result
      }
      if let result { continuation.resume(returning: result) }
    }
  }
}
