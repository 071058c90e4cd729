import Foundation

/// The resources that this process holds, as Linux tells them (proc(5)); zeros elsewhere.
struct Footprint: Sendable {
  /// Resident memory in bytes.
  var memory = 0
  /// Open file descriptors.
  var files = 0
  var threads = 0

  static var now: Footprint {
    var footprint = Footprint()
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    for line in status.split(separator: "\n") {
      guard let number = line.split(whereSeparator: { " \t".contains($0) }).dropFirst().first.flatMap({ Int($0) })
      else { continue }
      if line.hasPrefix("VmRSS:") { footprint.memory = number * 1_024 }
      if line.hasPrefix("Threads:") { footprint.threads = number }
    }
    footprint.files = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    return footprint
  }

  /// The larger of each.
  func joined(with other: Footprint) -> Footprint {
    Footprint(
      memory: max(memory, other.memory), files: max(files, other.files), threads: max(threads, other.threads))
  }
}
