import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The whole screen of a terminal, which is as before when the app leaves: at its end, at an error, at a signal.
final class Terminal: Sendable {
  private let original: termios
  private let hasColours: Bool
  private let isEntered = Mutex(false)

  /// - Returns: `nil` where the input or the output is no terminal that moves its cursor.
  init?() {
    let environment = ProcessInfo.processInfo.environment
    var settings = termios()
    guard isatty(0) == 1, isatty(1) == 1, !["", "dumb"].contains(environment["TERM"] ?? ""),
      tcgetattr(0, &settings) == 0
    else { return nil }
    original = settings
    hasColours = environment["NO_COLOR", default: ""].isEmpty  // no-color.org
  }

  /// Takes the screen: another one than that of the shell, without a cursor, and keys as they are pressed.
  func enter() {
    isEntered.withLock { isEntered in
      guard !isEntered else { return }
      isEntered = true
      var settings = original
      cfmakeraw(&settings)
      tcsetattr(0, TCSAFLUSH, &settings)
      write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?2004h\u{1B}[2J")
    }
  }

  /// Gives the screen back. A second caller, which a signal is, returns when the first one has given it back.
  func leave() {
    isEntered.withLock { isEntered in
      guard isEntered else { return }
      isEntered = false
      write("\u{1B}[?2004l\u{1B}[?25h\u{1B}[0m\u{1B}[?1049l")
      var settings = original
      tcsetattr(0, TCSAFLUSH, &settings)
    }
  }

  /// The number of columns and rows.
  var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Draws the lines over what is there. In one piece, which a terminal that can shows at once. A line is emptied before it is
  /// written: behind a character in the last column, some terminals would take that one away.
  func show(_ lines: [Line], rows: Int) {
    let all = lines + [Line](repeating: [], count: max(0, rows - lines.count))
    let text = all.map { "\u{1B}[K" + $0.map(coloured).joined() }.joined(separator: "\r\n")
    write("\u{1B}[?2026h\u{1B}[H" + text + "\u{1B}[?2026l")
  }

  /// ECMA-48 §8.3.117.
  private func coloured(_ span: Span) -> String {
    let codes =
      switch span.style {
      case .plain: ""
      case .strong: "1"
      case .chosen: "7"
      case .faint: hasColours ? "2" : ""
      case .good: hasColours ? "32" : ""
      case .notice: hasColours ? "33" : ""
      case .bad: hasColours ? "31" : "1"
      }
    return codes.isEmpty ? span.text : "\u{1B}[\(codes)m\(span.text)\u{1B}[0m"
  }

  private func write(_ text: String) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Foundation.write(1, $0.baseAddress, $0.count) }
      if count > 0 { bytes = bytes.dropFirst(count) } else if errno != EINTR, errno != EAGAIN { return }
    }
  }

  // MARK: Signals

  private static let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
  /// The numbers of the signals that came, a byte each. A handler may write, and little else (signal-safety(7)).
  private static let arrivals = Pipe()
  private static let writingEnd = arrivals.fileHandleForWriting.fileDescriptor

  /// Calls a function when the window has another size, and leaves the screen before a signal ends the process.
  func watch(resized: @escaping @Sendable () -> Void) {
    let readingEnd = Self.arrivals.fileHandleForReading.fileDescriptor
    _ = Self.writingEnd  // exists before a handler needs it
    Thread.detachNewThread { [self] in
      var byte: UInt8 = 0
      while case let count = read(readingEnd, &byte, 1), count == 1 || (count < 0 && errno == EINTR) {
        guard count == 1 else { continue }
        let number = Int32(byte)
        if number == SIGWINCH {
          resized()
        } else {
          alarm(2)  // ends the process where the terminal takes nothing any more
          leave()
          _exit(128 + number)  // as the shell would say it
        }
      }
    }
    for number in Self.ending + [SIGWINCH] {
      signal(number) { number in
        let before = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = Foundation.write(Terminal.writingEnd, &byte, 1)
        errno = before
      }
    }
  }

  /// Lets signals end the process as they do: otherwise nothing could end one that waits for its last request.
  func unwatch() {
    for number in Self.ending { signal(number, SIG_DFL) }
  }
}
