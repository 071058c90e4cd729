import Foundation
import TestSupport
import Testing

@Suite struct SurveyTests {
  @Test func `survey`() async throws {
    let environment = ProcessInfo.processInfo.environment
    let onFile = environment["SURVEY_FILE"] != nil
    let from = UInt64(environment["SURVEY_FROM"] ?? "0")!, count = UInt64(environment["SURVEY"] ?? "0")!
    var bad = 0
    let started = Date()
    for seed in from..<from + count {
      let run = try SimulationRun(seed, onFile: onFile)
      do { try await run.run() } catch {
        bad += 1
        print("SURVEY \(seed): \("\(error)".prefix(400))")
        if environment["SURVEY_LONG"] != nil { print(await run.history) }
      }
    }
    print("SURVEY \(bad) of \(count) failed, \(Date().timeIntervalSince(started)) s")
  }
}
