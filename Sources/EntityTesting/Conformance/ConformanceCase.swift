public import EntityRequests
import Foundation
import Synchronization
import Testing

/// One case of the conformance suite: a rule for every adapter that sends requests itself. The server is a raw socket
/// on the loopback interface, and its log decides.
///
/// ```swift
/// @Test(arguments: ConformanceCase.all) func `the adapter conforms`(_ one: ConformanceCase) async throws {
///   try await one.check(MyAdapter())
/// }
/// ```
///
/// A known fault is declared: ``ConformanceDifference``.
public struct ConformanceCase: Sendable, CustomStringConvertible {
  /// The name, as a sentence.
  public let name: String
  /// The numbers of the case in the list of 34 faults, <doc:FaultsOfTransports>; empty for a rule of everyday requests.
  public let faults: [Int]
  let body: @concurrent @Sendable (any RequestAdapter) async throws -> Void

  init(
    _ name: String, _ faults: [Int] = [],
    _ body: @escaping @concurrent @Sendable (any RequestAdapter) async throws -> Void
  ) {
    (self.name, self.faults, self.body) = (name, faults, body)
  }

  public var description: String { name }

  /// The cases for every adapter, also for one that only has `send`.
  public static var all: [ConformanceCase] { requests + responses + broken + cancellations }

  /// The cases for an adapter that streams a body while it arrives.
  public static var streaming: [ConformanceCase] { streams }

  /// The cases of servers and callers that do what none should. Some cases wait for a timeout of a second, which is the
  /// request's own `timeoutInterval`.
  public static var hostile: [ConformanceCase] { connections + heads + bodies + refusals + interruptions }

  /// Runs the case. Each mistake of the adapter is an issue of the test.
  ///
  /// - Parameters:
  ///   - adapter: The adapter.
  ///   - limit: The time after which the adapter counts as hanging. The case then ends, whatever the adapter does.
  /// - Throws: ``ConformanceHang``; the error of an adapter that fails where it must not; `CancellationError`.
  @concurrent public func check(_ adapter: any RequestAdapter, within limit: Duration = .seconds(120)) async throws {
    try Task.checkCancellation()
    let end = Once()
    // A group would wait for an adapter that ignores cancellation.
    let run = Task { [body] in
      let result: Result<Void, any Error>
      do { result = .success(try await body(adapter)) } catch { result = .failure(error) }
      end.set(result)
    }
    // A clock is needed, because an adapter that hangs sends no event.
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
  /// Runs the case with an adapter that is known not to pass it. The failure is a known issue of the test, with the
  /// reason.
  ///
  /// - Parameters:
  ///   - adapter: The adapter.
  ///   - differences: All known differences of the adapter. Without a difference for this case, the case runs as usual.
  ///   - limit: The time after which the adapter counts as hanging.
  /// - Throws: The errors of ``check(_:within:)``, where no difference is known.
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
      // The cancellation of the test's own task is not the adapter's error.
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
