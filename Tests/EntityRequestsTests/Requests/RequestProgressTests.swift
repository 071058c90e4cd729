import EntityClient
import EntityTesting
import Foundation
import SampleSchema
import Testing

@Suite(.sample) struct RequestProgressTests {
  private static let users = JSONValue((1...1000).map { ["id": JSONValue($0)] })

  private func reports(
    _ answer: StubAnswer, _ send: (@escaping RequestProgressHandler) async throws -> Void
  ) async throws -> [RequestProgress] {
    try StubAdapter.current.on(.get, "/users", answer).on(.post, "/users", answer)
    let recorder = Recorder<RequestProgress>()
    try await send { recorder.add($0) }
    return recorder.all
  }

  private func check(_ reports: [RequestProgress]) {
    let fractions = reports.map(\.fraction)
    #expect(fractions.last == 1)
    #expect(reports.last?.phase == .upsert)
    #expect(zip(fractions, fractions.dropFirst()).allSatisfy { $0 < $1 })
    #expect(fractions.allSatisfy { (0...1).contains($0) })
    let transfers = reports.prefix { $0.phase == .transfer }
    #expect(reports.dropFirst(transfers.count).allSatisfy { $0.phase == .upsert })
  }

  @Test(arguments: [true, false]) func `the progress of a request grows to one`(_ announcesLength: Bool) async throws {
    let reports = try await reports(.json(Self.users).chunked(10, announcesLength: announcesLength)) { handler in
      try await User.get(progress: handler)
    }
    check(reports)
    let transfers = reports.filter { $0.phase == .transfer }.map(\.fraction)
    #expect(transfers.count == 10)
    #expect(announcesLength ? transfers.last == 0.75 : (transfers.last ?? 1) < 0.75)
    // Rows are reported while they are written.
    #expect(reports.filter { $0.phase == .upsert && $0.fraction < 1 }.count >= 2)
    #expect(reports.last?.bytesReceived == Int64(Self.users.rawBytes.count))
  }

  @Test func `sent bytes count too`() async throws {
    let reports = try await reports(.json(Self.users).chunked(2)) { handler in
      try await User.post {
        try $0.setJSON(["email": "x"])
      } progress: {
        handler($0)
      }
    }
    check(reports)
    #expect(reports.first?.fraction == 0.375)
    #expect(reports.last?.bytesSent == 13)
  }

  @Test func `progress values in between come before the last piece`() async throws {
    let gate = StubGate()
    let recorder = Recorder<Double>()
    try StubAdapter.current.on(
      .get, "/users", .json(Self.users).chunked(4, announcesLength: false, gates: [3: gate]))
    async let response = User.get(progress: { recorder.add($0.fraction) })
    await gate.arrival()
    let between = recorder.all
    #expect(between.count == 3)
    #expect(between.allSatisfy { $0 > 0 && $0 < 1 })
    gate.open()
    _ = try await response
    #expect(recorder.all.last == 1)
  }

  @Test(arguments: [200, 204, 304]) func `the progress ends at one without a body too`(_ status: Int) async throws {
    try StubAdapter.current.on(.delete, "/users/1", .status(204)).on(.head, "/users", .status(200))
    check(try await reports(.status(status)) { handler in try await User.get(progress: handler) })
    check(try await reports(.status(status)) { handler in try await User.delete("1", progress: handler) })
    check(try await reports(.status(status)) { handler in try await User.head(progress: handler) })
  }

  @Test func `the progress of a failed request never reaches one`() async throws {
    let recorder = Recorder<Double>()
    try StubAdapter.current.on(.get, "/users", .json(Self.users, status: 500), .json([["id": 1], 5]))
    for _ in 0..<2 { _ = try await requestError { try await User.get(progress: { recorder.add($0.fraction) }) } }
    #expect(recorder.all.allSatisfy { $0 < 1 })
  }
}
