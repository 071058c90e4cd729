import Foundation
import Synchronization
import TestSupport
import Testing

/// A second process on the same file: the tests' own program, started again for one suite alone.
///
/// The worker takes a line of text at a time, and says one line for each. It ends with its standard input.
final class WorkerProcess: Sendable {
  /// The name of the variable that tells a worker what it is for.
  private static let variable = "ENTITYCLIENT_WORKER"
  /// Marks the lines that are answers, and not the test library's.
  private static let mark = "@worker "

  /// The job and its arguments, in a process that is a worker.
  static let job = ProcessInfo.processInfo.environment[variable]?.split(separator: "\t").map(String.init)

  /// The path of this program; `nil` where tests are not a program.
  private static let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
  static let isPossible = program != nil
  static let reason: Comment = "the tests are no program that can be started again"

  private let child: Mutex<ChildProcess>

  /// - Parameters:
  ///   - job: The job and its arguments, without tabs.
  ///   - suite: The suite that does the job.
  init(_ job: String..., suite: Any.Type) throws {
    child = Mutex(
      try ChildProcess(
        "/usr/bin/env",
        [
          "\(Self.variable)=\(job.joined(separator: "\t"))", try #require(Self.program), "--testing-library",
          "swift-testing", "--filter", #"EntityStoreTests\.\#(suite)/"#,
        ]))
  }

  /// The answer to a line; `nil` where the worker ended.
  func ask(_ line: String) async throws -> String? {
    try await onThread { [self] in
      try child.withLock { child in
        try child.write(line: line)
        return Self.answer(of: child)
      }
    }
  }

  /// The next line that the worker says; `nil` where the worker ended.
  func nextAnswer() async throws -> String? {
    try await onThread { [self] in child.withLock { Self.answer(of: $0) } }
  }

  /// Ends the worker, wherever it is: SIGKILL.
  func kill() { child.withLock { $0.end() } }

  /// Waits for the worker's end.
  ///
  /// - Returns: The exit code, or the signal that ended it.
  func end() async throws -> Int32 {
    try await onThread { [self] in child.withLock { $0.wait() } }
  }

  private static func answer(of child: ChildProcess) -> String? {
    while true {
      let line = child.nextLine()
      guard line.last == "\n" else { return nil }
      if line.hasPrefix(mark) { return String(line.dropFirst(mark.count).dropLast()) }
    }
  }

  // MARK: In the worker

  /// Answers each line until there is none.
  nonisolated(nonsending) static func serve(_ answer: nonisolated(nonsending) (String) async throws -> String)
    async throws
  {
    while let line = try await onThread({ readLine() }) {
      let text: String
      do {
        text = try await answer(line)
      } catch {
        text = "\(error)"
      }
      try say(text)
    }
  }

  /// Says one line to the process that started this one.
  static func say(_ text: String) throws {
    let answer = mark + text.replacing("\n", with: "; ") + "\n"
    try FileHandle.standardOutput.write(contentsOf: Data(answer.utf8))
  }
}
