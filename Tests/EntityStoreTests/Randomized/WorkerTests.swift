import Testing

/// The second process of other tests, see `WorkerProcess`: no test by itself.
///
/// Its limit of time is below that of the tests that wait for it, so that they tell the reason.
@Suite(.enabled(if: WorkerProcess.job != nil, "this process is no worker"), .timeLimit(.minutes(5)))
struct WorkerTests {
  @Test func work() async throws {
    let job = try #require(WorkerProcess.job)
    switch job.first {
    case "live": try await LiveWorker.run(job)
    case "migrate": try await MigrationWorker.run(job)
    default: Issue.record("no job is named \(job)")
    }
  }
}
