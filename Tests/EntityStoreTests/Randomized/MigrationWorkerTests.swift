import Testing

/// The second process of ``RandomizedCrashTests``, see `WorkerProcess`: no test by itself.
///
/// Its limit of time is below that of the tests that wait for it, so that they tell the reason.
@Suite(.enabled(if: WorkerProcess.job != nil, "this process is no worker"), .timeLimit(.minutes(5)))
struct MigrationWorkerTests {
  @Test func work() async throws { try await MigrationWorker.run(#require(WorkerProcess.job)) }
}
