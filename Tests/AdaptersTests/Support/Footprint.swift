import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The resources that this process holds, as Linux tells them (proc(5)); zeros elsewhere.
struct Footprint {
  var files = 0
  var threads = 0
  /// Resident memory in bytes.
  var memory = 0

  static var now: Footprint {
    var footprint = Footprint()
    footprint.files = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    for line in status.split(separator: "\n") {
      let number = Int(line.filter(\.isNumber)) ?? 0
      if line.hasPrefix("VmRSS:") { footprint.memory = number << 10 }
      if line.hasPrefix("Threads:") { footprint.threads = number }
    }
    return footprint
  }

  /// Whether the memory is the adapter's: a sanitizer's own grows.
  static let measuresMemory = ["ENTITYCLIENT_TSAN", "ENTITYCLIENT_ASAN"].allSatisfy {
    ProcessInfo.processInfo.environment[$0] == nil
  }

  /// The most memory that the process had so far, in bytes.
  static var peakMemory: Int {
    var usage = rusage()
    #if canImport(Glibc)
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
      return usage.ru_maxrss << 10
    #else
      getrusage(RUSAGE_SELF, &usage)
      return usage.ru_maxrss
    #endif
  }
}
