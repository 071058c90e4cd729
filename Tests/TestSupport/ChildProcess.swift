import Foundation

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
    private static func spawn(
      _ program: String, _ arguments: [String], _ folder: String?
    ) throws -> (status: Int32, output: String) {
      var ends: [Int32] = [-1, -1]
      guard pipe2(&ends, O_CLOEXEC) == 0 else { throw Failure(text: "no pipe: \(errno)") }
      defer { close(ends[0]) }
      var actions = posix_spawn_file_actions_t()
      posix_spawn_file_actions_init(&actions)
      defer { posix_spawn_file_actions_destroy(&actions) }
      for output: Int32 in [1, 2] { posix_spawn_file_actions_adddup2(&actions, ends[1], output) }
      if let folder { posix_spawn_file_actions_addchdir_np(&actions, folder) }
      // Files that were opened without O_CLOEXEC are none of the program's.
      posix_spawn_file_actions_addclosefrom_np(&actions, 3)
      let words = ([program] + arguments).map { strdup($0) } + [nil]
      let environment =
        ProcessInfo.processInfo.environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
      defer { for text in words + environment { free(text) } }
      var child: pid_t = 0
      let code = posix_spawn(&child, program, &actions, nil, words, environment)
      close(ends[1])
      guard code == 0 else { throw Failure(text: "\(program) can't be run: \(code)") }
      let output = try FileHandle(fileDescriptor: ends[0], closeOnDealloc: false).readToEnd() ?? Data()
      var status: Int32 = 0
      while waitpid(child, &status, 0) < 0, errno == EINTR {}
      // The exit code, or the signal that ended it (https://man7.org/linux/man-pages/man3/wait.3p.html).
      return (status & 0x7f == 0 ? (status >> 8) & 0xff : status & 0x7f, String(decoding: output, as: UTF8.self))
    }
  #endif
}
