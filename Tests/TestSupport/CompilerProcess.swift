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
          with: Result { try ChildProcess.run(program.path, arguments, in: folder.path) })
      }
    }
  }
}
