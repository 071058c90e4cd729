import Foundation
import Synchronization

/// A bar on standard error, drawn when it grows; one line at its end where nobody looks at a terminal.
final class ProgressBar: Sendable {
  private let name: String
  private let shown = Mutex(-1)
  private let isTerminal = isatty(2) == 1
  private static let width = 40

  init(_ name: String) { self.name = name }

  /// - Parameter fraction: From 0 to 1. Called on any thread.
  func show(_ fraction: Double) {
    let cells = Int(fraction * Double(Self.width))
    let grows = shown.withLock { shown in
      guard cells > shown else { return false }
      shown = cells
      return true
    }
    guard grows, isTerminal else { return }
    let bar = String(repeating: "#", count: cells) + String(repeating: ".", count: Self.width - cells)
    write("\r\(name) [\(bar)] \(Int(fraction * 100)) %")
  }

  func end() { write(isTerminal ? "\n" : "\(name): 100 %\n") }

  private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
