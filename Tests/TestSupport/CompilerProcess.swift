package import Foundation

/// Runs compilers: as many at once as there are processors, and none on the cooperative pool, whose threads all other
/// tests need.
package enum CompilerProcess {
  private static let queue: OperationQueue = {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = ProcessInfo.processInfo.activeProcessorCount
    return queue
  }()

  /// The status and all that the program says.
  package static func run(
    _ program: URL, _ arguments: [String], in folder: URL
  ) async throws -> (status: Int32, output: String) {
    try await withCheckedThrowingContinuation { continuation in
      queue.addOperation {
        continuation.resume(
          with: Result {
            let process = Process()
            process.executableURL = program
            process.arguments = arguments
            process.currentDirectoryURL = folder
            let pipe = Pipe()
            process.standardError = pipe
            process.standardOutput = pipe
            try process.run()
            let output = pipe.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return (process.terminationStatus, String(decoding: output, as: UTF8.self))
          })
      }
    }
  }
}
