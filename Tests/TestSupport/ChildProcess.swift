import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#endif

/// A program that runs beside the tests, until this object goes.
///
/// On Linux without Foundation's `Process`, which lists the open files of this process and reads past the end of the list
/// where there are more than a thousand, as in tests that run at once.
package final class ChildProcess {
  package struct Failure: Error {
    package let text: String
  }

  #if canImport(Glibc)
    private let process: pid_t
    /// A server may end with its standard input, should this process not live to end it.
    private let input: Int32
    private let output: Int32
    private var hasEnded = false
  #else
    private let process = Process()
    private let input = Pipe()
    private let pipe = Pipe()
  #endif

  /// Starts a program, which may run until this object goes.
  ///
  /// - Parameter program: The path of the program.
  package convenience init(_ program: String, _ arguments: [String]) throws {
    try self.init(program, arguments, folder: nil, joinsErrors: false)
  }

  private init(_ program: String, _ arguments: [String], folder: String?, joinsErrors: Bool) throws {
    #if canImport(Glibc)
      var (path, words) = (program, [program] + arguments)
      // The C library's own function for it is not visible to Swift.
      if let folder { (path, words) = ("/usr/bin/env", ["env", "-C", folder] + words) }
      (process, input, output) = try Self.spawning.withLock { _ in try Self.begin(path, words, joinsErrors) }
    #else
      process.executableURL = URL(fileURLWithPath: program)
      process.arguments = arguments
      if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
      process.standardInput = input
      if joinsErrors { process.standardError = pipe }
      process.standardOutput = pipe
      try process.run()
    #endif
  }

  /// Runs a program to its end.
  ///
  /// - Parameters:
  ///   - program: The path of the program.
  ///   - folder: The folder that it runs in; by default this process's.
  /// - Returns: The status, and all that the program says on both of its outputs.
  package static func run(
    _ program: String, _ arguments: [String], in folder: String? = nil
  ) throws -> (status: Int32, output: String) {
    let child = try ChildProcess(program, arguments, folder: folder, joinsErrors: true)
    let output = child.read { _ in false }
    return (child.wait(), output)
  }

  /// The first line that the program says; less where it ends before.
  package func firstLine() -> String { nextLine() }

  /// The next line that the program says, with its end; less where the program ends before.
  package func nextLine() -> String { read { $0 == UInt8(ascii: "\n") } }

  /// A program that ended reads nothing: the write fails, and the tests go on.
  private static let ignoresBrokenPipes: Void = { _ = signal(SIGPIPE, SIG_IGN) }()

  /// Writes a line to the program's standard input.
  package func write(line: String) throws {
    Self.ignoresBrokenPipes
    #if canImport(Glibc)
      let file = input
    #else
      let file = input.fileHandleForWriting.fileDescriptor
    #endif
    var bytes = Array("\(line)\n".utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Foundation.write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Failure(text: "the program does not read: \(errno)") }
      bytes = bytes.dropFirst(count)
    }
  }

  /// Ends the program at once, wherever it is.
  package func end() {
    #if canImport(Glibc)
      // SIGTERM would not do: the child inherits the signal mask of the thread that started it, which may block it.
      if !hasEnded { kill(process, SIGKILL) }
    #else
      if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    #endif
  }

  deinit {
    end()
    #if canImport(Glibc)
      if !hasEnded {
        _ = wait()
      }
      close(input)
      close(output)
    #endif
  }

  /// Reads until a byte is the last one that is wanted.
  private func read(until isLast: (UInt8) -> Bool) -> String {
    #if canImport(Glibc)
      let file = output
    #else
      let file = pipe.fileHandleForReading.fileDescriptor
    #endif
    var text: [UInt8] = []
    var byte: UInt8 = 0
    while true {
      let count = Foundation.read(file, &byte, 1)
      // `FileHandle` would trap where a signal interrupts the read.
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      text.append(byte)
      if isLast(byte) { break }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Waits for the program's end.
  ///
  /// - Returns: The exit code, or the signal that ended it (https://man7.org/linux/man-pages/man3/wait.3p.html).
  package func wait() -> Int32 {
    #if canImport(Glibc)
      var status: Int32 = 0
      while waitpid(process, &status, 0) < 0, errno == EINTR {}
      hasEnded = true
      return status & 0x7f == 0 ? (status >> 8) & 0xff : status & 0x7f
    #else
      process.waitUntilExit()
      return process.terminationStatus
    #endif
  }

  #if canImport(Glibc)
    /// One at a time, so that no program gets the pipes of another one.
    private static let spawning = Mutex(())

    /// - Returns: The process, the end of the pipe that it reads, and that of the pipe that it writes.
    private static func begin(
      _ path: String, _ words: [String], _ joinsErrors: Bool
    ) throws -> (pid_t, input: Int32, output: Int32) {
      let input = try makePipe()
      defer { close(input.reading) }
      let output: (reading: Int32, writing: Int32)
      do {
        output = try makePipe()
      } catch {
        close(input.writing)
        throw error
      }
      defer { close(output.writing) }
      var actions = posix_spawn_file_actions_t()
      posix_spawn_file_actions_init(&actions)
      defer { posix_spawn_file_actions_destroy(&actions) }
      posix_spawn_file_actions_adddup2(&actions, input.reading, 0)
      posix_spawn_file_actions_adddup2(&actions, output.writing, 1)
      if joinsErrors { posix_spawn_file_actions_adddup2(&actions, output.writing, 2) }
      _ = closeOthers?(&actions, 3)
      let arguments = words.map { strdup($0) } + [nil]
      let environment = ProcessInfo.processInfo.environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
      defer { for text in arguments + environment { free(text) } }
      var child: pid_t = 0
      let code = posix_spawn(&child, path, &actions, nil, arguments, environment)
      guard code == 0 else {
        close(input.writing)
        close(output.reading)
        throw Failure(text: "\(path) can't be run: \(code)")
      }
      return (child, input.writing, output.reading)
    }

    private static func makePipe() throws -> (reading: Int32, writing: Int32) {
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else { throw Failure(text: "no pipe: \(errno)") }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      return (ends[0], ends[1])
    }

    private typealias CloseFrom = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32

    /// Has the program start without the other files of this process, which would keep the connections of other tests open.
    /// The C library's function for it is not visible to Swift.
    private static let closeOthers: CloseFrom? = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np").map {
      unsafeBitCast($0, to: CloseFrom.self)
    }
  #endif
}
