import Dispatch
import Foundation

/// Calls every public async function of the package from the main actor and from another actor, and checks after each
/// call that the caller still runs on its own actor. `scripts/isolation` builds it in release, where the compiler's
/// fault shows.
///
/// With the folder `Sources` as its argument it also fails for a public async function that it does not call.
@main
enum IsolationCheck {
  @MainActor static func main() async {
    Caller.markMainQueue()
    // The first turn runs before the main queue does.
    await Task.yield()
    let report = Report()
    // All takes a second or two.
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(300)) {
      print("error: a call does not end; the last that did was \(report.last)")
      exit(1)
    }
    do {
      for mode in Mode.allCases {
        try await run(mode, report)
      }
      try Scene(.returning, report).checkInspector()
      if let folder = CommandLine.arguments.dropFirst().first {
        try Coverage(folder).check(report)
      }
    } catch {
      report.fail("the check itself failed: \(error)")
    }
    for failure in report.failures { print("error: \(failure)") }
    print("\(report.count) calls of \(report.functions.count) functions, \(report.failures.count) failures")
    exit(report.failures.isEmpty ? 0 : 1)
  }

  @MainActor private static func run(_ mode: Mode, _ report: Report) async throws {
    // Calls from a function of the main actor, and from one whose actor is a parameter: the compiler treats them apart.
    let onMain = Task { @MainActor in
      mode.begin()
      try await Scene(mode, report).checkObjects()
      try await Scene(mode, report).checkUndo()
    }
    try await onMain.value
    let onMainAsParameter = Task {
      mode.begin()
      try await Scene(mode, report).checkAll(on: MainActor.shared)
    }
    try await onMainAsParameter.value
    let onOther = Task {
      mode.begin()
      try await Scene(mode, report).checkAll(on: OtherActor.shared)
    }
    try await onOther.value
  }
}

/// How the calls end.
enum Mode: String, CaseIterable {
  case returning, throwing, cancelled
  /// The writer and the readers are held up by others for longer than the store waits.
  case busy

  /// Called in the task that makes the calls.
  func begin() {
    if self == .cancelled { withUnsafeCurrentTask { $0?.cancel() } }
  }
}

/// The findings of the calls. It is used by one actor after the other.
final class Report: Sendable {
  private struct State {
    var count = 0
    var functions: Set<String> = []
    var failures: [String] = []
    var last = "none"
  }

  private let lock = DispatchQueue(label: "Report")
  // Reached on the queue `lock` alone.
  nonisolated(unsafe) private var state = State()

  var count: Int { lock.sync { state.count } }
  var functions: Set<String> { lock.sync { state.functions } }
  var failures: [String] { lock.sync { state.failures } }
  var last: String { lock.sync { state.last } }

  func note(_ function: String) {
    lock.sync {
      state.count += 1
      state.functions.insert(function)
      state.last = function
    }
  }

  func fail(_ message: String) { lock.sync { state.failures.append(message) } }
}
