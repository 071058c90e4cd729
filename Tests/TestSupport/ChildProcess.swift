import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#endif

/// Runs a program to its end.
///
/// On Linux without Foundation's `Process`, which lists the open files of this process and reads past the end of the list
/// where there are more than a thousand, as in tests that run at once.
package enum ChildProcess {
  package struct Failure: Error {
    package let text: String
  }

  /// The status and all that the program says.
  ///
  /// - Parameters:
  ///   - program: The path of the program.
  ///   - folder: The folder that it runs in; by default this process's.
  package static func run(
    _ program: String, _ arguments: [String], in folder: String? = nil
  ) throws -> (status: Int32, output: String) {
    #if canImport(Glibc)
      return try spawn(program, arguments, folder)
    #else
      let process = Process()
      process.executableURL = URL(fileURLWithPath: program)
      process.arguments = arguments
      if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
      let pipe = Pipe()
      process.standardError = pipe
      process.standardOutput = pipe
      try process.run()
      let output = pipe.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    #endif
  }

  #if canImport(Glibc)
    /// One at a time, so that no program gets the pipe of another one.
    private static let spawning = Mutex(())

    private static func spawn(
      _ program: String, _ arguments: [String], _ folder: String?
    ) throws -> (status: Int32, output: String) {
      var (path, words) = (program, [program] + arguments)
      // The C library's own function for it is not visible to Swift.
      if let folder { (path, words) = ("/usr/bin/env", ["env", "-C", folder] + words) }
      let (child, output) = try spawning.withLock { _ in try begin(path, words) }
      defer { close(output) }
      let text = try FileHandle(fileDescriptor: output, closeOnDealloc: false).readToEnd() ?? Data()
      var status: Int32 = 0
      while waitpid(child, &status, 0) < 0, errno == EINTR {}
      // The exit code, or the signal that ended it (https://man7.org/linux/man-pages/man3/wait.3p.html).
      return (status & 0x7f == 0 ? (status >> 8) & 0xff : status & 0x7f, String(decoding: text, as: UTF8.self))
    }

    /// - Returns: The process, and the end of the pipe that it writes to.
    private static func begin(_ path: String, _ words: [String]) throws -> (pid_t, Int32) {
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else { throw Failure(text: "no pipe: \(errno)") }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      defer { close(ends[1]) }
      var actions = posix_spawn_file_actions_t()
      posix_spawn_file_actions_init(&actions)
      defer { posix_spawn_file_actions_destroy(&actions) }
      for output: Int32 in [1, 2] { posix_spawn_file_actions_adddup2(&actions, ends[1], output) }
      let arguments = words.map { strdup($0) } + [nil]
      let environment = ProcessInfo.processInfo.environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
      defer { for text in arguments + environment { free(text) } }
      var child: pid_t = 0
      let code = posix_spawn(&child, path, &actions, nil, arguments, environment)
      guard code == 0 else {
        close(ends[0])
        throw Failure(text: "\(path) can't be run: \(code)")
      }
      return (child, ends[0])
    }
  #endif
}
