import EntityTesting
import Testing

@Suite(.untilItHangs)
struct VirtualClockTests {
  @Test func `a sleep ends when the clock was moved that far`() async throws {
    let clock = VirtualClock()
    let begin = clock.now
    let sleep = Task { try await clock.sleep(for: .seconds(3600)) }
    await clock.sleep(number: 1)
    clock.advance(by: .seconds(3599))
    let second = Task { try await clock.sleep(for: .seconds(1)) }
    await clock.sleep(number: 2)
    clock.advance(by: .seconds(1))
    try await sleep.value
    try await second.value
    #expect(begin.duration(to: clock.now) == .seconds(3600))
    #expect(clock.sleeps == [.seconds(3600), .seconds(1)])
  }

  @Test func `a cancelled sleep throws`() async throws {
    let clock = VirtualClock()
    let sleep = Task { try await clock.sleep(for: .seconds(1)) }
    await clock.sleep(number: 1)
    sleep.cancel()
    await #expect(throws: CancellationError.self) { try await sleep.value }
  }

  @Test func `a sleep of a cancelled task does not wait`() async throws {
    let clock = VirtualClock()
    let go = Event()
    let sleep = Task {
      await go.wait()
      try await clock.sleep(for: .seconds(1))
    }
    sleep.cancel()
    go.set()
    await #expect(throws: CancellationError.self) { try await sleep.value }
  }

  @Test func `a clock that advances by itself is at the end of each sleep`() async throws {
    let clock = VirtualClock(advancesByItself: true)
    let begin = clock.now
    try await clock.sleep(for: .seconds(2))
    try await clock.sleep(for: .seconds(3))
    #expect(begin.duration(to: clock.now) == .seconds(5))
  }
}
