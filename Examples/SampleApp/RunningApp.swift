import Foundation

/// Another process of this program.
struct RunningApp: Sendable {
  /// The end of a process.
  struct End {
    let status: Int32
    let wasKilled: Bool
  }

  let pid: Int32
  /// The lines that the process prints, where they are asked for.
  let lines: AsyncStream<String>
  private let ends: AsyncStream<End>

  /// - Parameter readsLines: Whether ``lines`` has what the process prints; else it prints where this process does.
  init(_ arguments: [String], readsLines: Bool = false) throws {
    let (ends, end) = AsyncStream.makeStream(of: End.self)
    let (lines, line) = AsyncStream.makeStream(of: String.self)
    (self.ends, self.lines) = (ends, lines)
    let process = Process()
    process.executableURL = Bundle.main.executableURL
    process.arguments = arguments
    process.terminationHandler = {
      end.yield(End(status: $0.terminationStatus, wasKilled: $0.terminationReason == .uncaughtSignal))
      end.finish()
    }
    let output = readsLines ? Pipe() : nil
    if let output { process.standardOutput = output }
    // The lines that were printed so far come before the output of the other process.
    fflush(nil)
    try process.run()
    pid = process.processIdentifier
    if let output { Self.read(output, line) } else { line.finish() }
  }

  private static func read(_ output: Pipe, _ line: AsyncStream<String>.Continuation) {
    Thread.detachNewThread {
      var rest = Data()
      while case let more = output.fileHandleForReading.availableData, !more.isEmpty {
        rest += more
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
          line.yield(String(decoding: rest[..<end], as: UTF8.self))
          rest = Data(rest[(end + 1)...])
        }
      }
      line.finish()
    }
  }

  /// Kills the process, which can do nothing about that.
  func forceEnd() { kill(pid, SIGKILL) }

  /// Waits for the end of the process.
  var end: End {
    get async {
      for await end in ends { return end }
      return End(status: -1, wasKilled: false)
    }
  }
}
