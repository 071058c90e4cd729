import CRivals
import Foundation

/// The resident memory of this process, from Linux's proc(5); 0 elsewhere.
enum Memory {
  /// How many megabytes the process grew at most while `work` ran.
  static func growth(during work: () throws -> Void) rethrows -> Double {
    memory_give_back()
    // Resets the high-water mark to the resident size.
    if let file = FileHandle(forWritingAtPath: "/proc/self/clear_refs") {
      try? file.write(contentsOf: Data("5".utf8))
      try? file.close()
    }
    let before = kilobytes("VmRSS:")
    try work()
    return max(0, kilobytes("VmHWM:") - before) / 1024
  }

  private static func kilobytes(_ field: String) -> Double {
    guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
      let line = status.split(separator: "\n").first(where: { $0.hasPrefix(field) })
    else { return 0 }
    return line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Double($0) } ?? 0
  }
}
