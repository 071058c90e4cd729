public import EntityRequests
import Foundation
import Synchronization
import Testing

/// One case of the conformance suite: what every adapter that sends requests itself must do. The server is a raw socket on
/// the loopback interface, and its log is the oracle.
///
/// ```swift
/// @Test(arguments: ConformanceCase.all) func `the adapter conforms`(_ one: ConformanceCase) async throws {
///   try await one.check(MyAdapter())
/// }
/// ```
///
/// A fault that is known is declared: ``ConformanceDifference``.
public struct ConformanceCase: Sendable, CustomStringConvertible {
  /// The name, as a sentence.
  public let name: String
  /// The numbers of the case in the list of 34 faults, <doc:FaultsOfTransports>; none for a rule of everyday requests.
  public let faults: [Int]
  let body: @concurrent @Sendable (any RequestAdapter) async throws -> Void

  init(
    _ name: String, _ faults: [Int] = [],
    _ body: @escaping @concurrent @Sendable (any RequestAdapter) async throws -> Void
  ) {
    (self.name, self.faults, self.body) = (name, faults, body)
  }

  public var description: String { name }

  /// Every case that an adapter passes which has `send` alone.
  public static var all: [ConformanceCase] { requests + responses + broken + cancellations }

  /// The cases for an adapter that hands out a body while it arrives.
  public static var streaming: [ConformanceCase] { streams }

  /// The cases of servers that do what no server should, and of callers that do. Some wait for a timeout of a second, which
  /// is the request's own `timeoutInterval`.
  public static var hostile: [ConformanceCase] { connections + heads + bodies + refusals + interruptions }

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

extension ConformanceCase {
  /// Runs the case with an adapter that is known not to pass it: the failure is a known issue of the test, with the reason.
  ///
  /// - Parameters:
  ///   - adapter: The adapter.
  ///   - differences: All that the adapter is known for. Without one for this case, it is run as any.
  ///   - limit: The time after which it counts as hanging.
  /// - Throws: As ``check(_:within:)`` does, where no difference is known.
  @concurrent public func check(
    _ adapter: any RequestAdapter, except differences: [ConformanceDifference], within limit: Duration = .seconds(120)
  ) async throws {
    guard let difference = differences.first(where: { $0.name == name }) else {
      return try await check(adapter, within: limit)
    }
    let reason = Comment(rawValue: difference.reason)
    if difference.extent == .notRun {
      withKnownIssue(reason) { Issue.record("The case is not run.") }
      return
    }
    try await withKnownIssue(reason, isIntermittent: difference.extent == .sometimes) {
      try await check(adapter, within: limit)
    } matching: {
      // The task's own end is none of the adapter's.
      !($0.error is CancellationError && Task.isCancelled)
    }
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
