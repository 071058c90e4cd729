import Foundation

/// The figures of a storm, and the faults among them.
struct Report {
  let text: String
  let faults: [String]

  /// The connections that the adapter's pool keeps for later, and a few files of the system's.
  private static let keptFiles = 256 + 16
  /// The cooperative pool and the system's own threads may be more than they were at the first request.
  private static let keptThreads = ProcessInfo.processInfo.activeProcessorCount + 4
  /// The sanitizer's own memory grows.
  private static let measuresMemory = ProcessInfo.processInfo.environment["ENTITYCLIENT_TSAN"] == nil

  init(
    _ name: String, _ tally: Tally, _ before: Footprint, _ peaks: Storm.Peaks, after: Footprint
  ) async {
    let (sent, lost, wrong) = await (tally.sent, tally.underWay, tally.wrong)
    let (posts, answeredPosts, unresent) = await (tally.posts, tally.answeredPosts, tally.lostConnections)
    let refused = await tally.refused.sorted { $0.key < $1.key }.map { "\($0.value) of \($0.key)" }
    let failed = await tally.failed.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    var faults: [String] = []
    if sent == 0 { faults.append("\(name): no request was sent") }
    if lost > 0 { faults.append("\(name): \(lost) requests never ended") }
    // The race between a request and the end of its kept connection is a rare one: most posts are answered.
    if answeredPosts == 0, posts >= 20 { faults.append("\(name): none of \(posts) posts was answered") }
    if unresent > answeredPosts / 10 + 5 {
      faults.append("\(name): \(unresent) posts lost their connection, and \(answeredPosts) were answered")
    }
    if after.files > before.files + Self.keptFiles {
      faults.append("\(name): \(after.files) files are open, and \(before.files) were before")
    }
    if after.threads > before.threads + Self.keptThreads {
      faults.append("\(name): there are \(after.threads) threads, and \(before.threads) were before")
    }
    if Self.measuresMemory, let late = peaks.late,
      late.memory > peaks.early.memory + max(32 << 20, peaks.early.memory / 4)
    {
      faults.append(
        "\(name): memory goes on growing, from \(Self.mebibytes(peaks.early.memory)) to \(Self.mebibytes(late.memory))")
    }
    self.faults = faults + wrong.map { "\(name): \($0)" }
    text = """
      \(name)
        sent       \(sent)
        answered   \(await tally.answered)
        refused    \(refused.isEmpty ? "0" : refused.joined(separator: ", "))
        failed     \(failed.isEmpty ? "0" : failed.joined(separator: ", "))
        not resent \(unresent) of \(posts) posts
        cancelled  \(await tally.cancelled)
        dropped    \(await tally.dropped)
        wrong      \(wrong.count)
        lost       \(lost)
        memory     \(Self.row(before, peaks.all, after) { Self.mebibytes($0.memory) })
        growth     \(peaks.late.map { Self.growth(peaks.early, $0) } ?? "not measured: fewer than 10,000 requests")
        files      \(Self.row(before, peaks.all, after) { String($0.files) })
        threads    \(Self.row(before, peaks.all, after) { String($0.threads) })
      """
  }

  /// The footprint once all that ends by itself has ended: connections are closed and threads go after the last answer.
  static func settledFootprint(below before: Footprint) async -> Footprint {
    var footprint = Footprint.now
    for _ in 0..<100 {
      guard footprint.files > before.files + keptFiles || footprint.threads > before.threads + keptThreads else {
        break
      }
      // Nothing tells when libcurl has closed a connection.
      try? await Task.sleep(for: .milliseconds(100))
      footprint = Footprint.now
    }
    return footprint
  }

  private static func row(
    _ before: Footprint, _ peak: Footprint, _ after: Footprint, _ shown: (Footprint) -> String
  ) -> String {
    "\(shown(before)) before, \(shown(peak)) at most, \(shown(after)) after"
  }

  private static func growth(_ early: Footprint, _ late: Footprint) -> String {
    "\(mebibytes(early.memory)) at most in the first half, \(mebibytes(late.memory)) in the second"
  }

  private static func mebibytes(_ bytes: Int) -> String { "\(bytes >> 20) MiB" }
}
