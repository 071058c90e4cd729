import EntityClient
public import Foundation
import Observation

/// `scripts/demo --live`: a list of todos that others change, that works offline, and that settles conflicts.
@MainActor public enum Showcase {
  /// Shows the list until the person quits. Without a terminal each change is a line, the input is read as keys, and its end
  /// ends the app when nothing can be sent any more.
  ///
  /// - Parameters:
  ///   - file: The file of the store.
  ///   - server: The URL of a server; `nil` starts the sample server, beside the store.
  public static func run(_ file: URL, server: URL?) async throws {
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    if let server { return try await run(file, at: server) }
    let own = try await TodoServer.start(beside: file)
    do { try await run(file, at: own.url) } catch {
      await own.stop()
      throw error
    }
    await own.stop()
  }

  private static func run(_ file: URL, at server: URL) async throws {
    let app = try TodoApp(file: file, server: server)
    app.start()
    if let terminal = Terminal() { await show(app, on: terminal) } else { await tell(app) }
    await app.stop()
    let waiting = try await app.store.pending.count()
    print(
      waiting == 0
        ? "All is sent." : "\(waiting) \(waiting == 1 ? "change waits" : "changes wait") for the next start.",
      "The store is \(file.path).")
  }

  /// The app on the whole screen.
  private static func show(_ app: TodoApp, on terminal: Terminal) async {
    let window = Window(terminal)
    terminal.watch { Task { @MainActor in window.measure() } }
    // After the screen is given back: a signal that came before would leave the terminal without an echo.
    defer { terminal.unwatch() }
    terminal.enter()
    defer { terminal.leave() }
    let typing = Task {
      var reader = KeyReader()
      for await bytes in input() {
        for key in reader.keys(bytes) { app.take(key) }
      }
      app.quit()
    }
    var last = Screen()
    for await (screen, size, isRunning) in Observations({ (app.screen, window.size, app.isRunning) }) {
      guard isRunning else { break }
      app.note(last, screen)
      last = screen
      terminal.show(screen.lines(columns: size.columns, rows: size.rows), rows: size.rows)
    }
    typing.cancel()
  }

  /// The app as lines.
  private static func tell(_ app: TodoApp) async {
    let typing = Task {
      for await link in Observations({ app.link }) where link != .opening { break }
      var reader = KeyReader()
      for await bytes in input() {
        for key in reader.keys(bytes) { await app.take(key)?.value }
      }
      await app.settled()
      app.quit()
    }
    var last = Screen()
    for await (screen, isRunning) in Observations({ (app.screen, app.isRunning) }) {
      app.note(last, screen)
      for line in Transcript.lines(from: last, to: screen) { print(line) }
      fflush(nil)
      last = screen
      guard isRunning else { break }
    }
    typing.cancel()
  }

  /// The bytes of the standard input, as they come.
  private static func input() -> AsyncStream<[UInt8]> {
    let (pieces, piece) = AsyncStream.makeStream(of: [UInt8].self)
    Thread.detachNewThread {
      var buffer = [UInt8](repeating: 0, count: 4_096)
      while case let count = read(0, &buffer, buffer.count), count > 0 || (count < 0 && errno == EINTR) {
        if count > 0 { piece.yield(Array(buffer[..<count])) }
      }
      piece.finish()
    }
    return pieces
  }
}

/// The size of the window, which a person changes.
@MainActor @Observable private final class Window {
  private(set) var size: Size
  private let terminal: Terminal

  struct Size: Equatable { var columns, rows: Int }

  init(_ terminal: Terminal) {
    self.terminal = terminal
    size = Size(columns: terminal.size.columns, rows: terminal.size.rows)
  }

  func measure() { size = Size(columns: terminal.size.columns, rows: terminal.size.rows) }
}
