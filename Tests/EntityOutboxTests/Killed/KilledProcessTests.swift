import EntityClient
import Foundation
import TestSupport
import Testing

/// Processes of an app that are killed, one after the other, while they edit and send.
@Suite(
  .enabled(if: KilledWorker.program != nil, "the tests are no program that can be started again"),
  .timeLimit(.minutes(Seeds.isLong ? 60 : 10)))
struct KilledProcessTests {
  @Test func `processes that are killed at any moment lose nothing and double nothing`() async throws {
    let folder = URL.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let program = try #require(KilledWorker.program)
    let file = folder.appending(path: "a.sqlite").path
    // The thread waits for the processes.
    let server = try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(
          with: Result {
            let count = Seeds.isLong ? 200 : Seeds.isSanitized ? 2 : 6
            var server = PipeServer(Seeds.one ?? 0)
            for number in 0...count { try server.serve(program, number, of: count, file) }
            return server
          })
      }
    }
    #expect(server.faults == [])
    #expect(server.left == 0)
    #expect(server.made.count > 20)
    #expect(server.creates.count { $0.value != 1 } == 0)
    for token in server.made where server.creates[token] == nil { Issue.record("\(token) was lost") }
    for (token, note) in server.notes {
      // The last edit of a process may be saved though the process did not come to say so.
      let found = server.objects.values.first { $0.token == token }?.note
      #expect(Self.place(of: found) >= Self.place(of: note), "the note of \(token) is \(found ?? "none")")
    }
  }

  /// The place of a note among all: the numbers of its process and its step.
  private static func place(of note: String?) -> Int {
    let numbers = (note ?? "").split(separator: "-").compactMap { Int($0) }
    return numbers.count == 2 ? numbers[0] * 1_000_000 + numbers[1] : -1
  }
}

/// The server of the processes, which kills them.
private struct PipeServer {
  struct Object {
    var table: String
    var token: String
    var note: String?
  }

  private(set) var objects: [Int: Object] = [:]
  /// How often each object was created, by token.
  private(set) var creates: [String: Int] = [:]
  private var keys: [String: (status: Int, body: String)] = [:]
  /// The objects whose saves were acknowledged, and the last notes.
  private(set) var made: [String] = []
  private(set) var notes: [String: String] = [:]
  private(set) var faults: [String] = []
  private(set) var left: Int?
  private var random: SeededRandom

  init(_ seed: UInt64) { random = SeededRandom(seed) }

  /// Runs one process until it is killed; the last one until it has sent all.
  mutating func serve(_ program: String, _ number: Int, of count: Int, _ file: String) throws {
    let job = "\(KilledWorker.variable)=\(number)\t\(count)\t\(file)"
    let child = try ChildProcess(
      "/usr/bin/env",
      [
        job, program, "--testing-library", "swift-testing", "--filter",
        #"\#(String(reflecting: KilledWorkerTests.self).replacing(".", with: #"\."#))/"#,
      ])
    // The number of lines until the process is killed.
    var lines = number == count ? Int.max : 1 + random.below(120)
    while true {
      let line = child.nextLine()
      guard line.last == "\n" else { break }
      guard line.hasPrefix(PipeAdapter.mark) else { continue }
      let said = try JSONValue(parsing: Data(line.dropFirst(PipeAdapter.mark.count).utf8))
      lines -= 1
      if let token = said["made"]?.string { made.append(token) }
      if let token = said["edited"]?.string { notes[token] = said["note"]?.string }
      if let problem = said["problem"]?.string { faults.append(problem) }
      if let left = said["left"]?.int { self.left = left }
      let id = said["number"]?.int
      if lines <= 0 {
        // The request reaches the server or not, and its answer goes nowhere.
        if id != nil, random.chance(2) { _ = answer(said) }
        child.end()
        // The last words of the process are acknowledgements, too.
        lines = .max
        continue
      }
      guard let id else { continue }
      let (status, body) = answer(said)
      var fields: [String: JSONValue] = ["number": JSONValue(id), "status": JSONValue(status), "body": JSONValue(body)]
      if let token = said["find"]?.string {
        fields["uid"] = objects.first { $0.value.token == token }.map { JSONValue($0.key) }
      }
      // A process that was killed reads nothing.
      try? child.write(line: String(decoding: JSONObject(fields).value.rawBytes, as: UTF8.self))
    }
    _ = child.wait()
  }

  private static func json(_ id: Int, _ object: Object) -> JSONValue {
    JSONObject([
      "id": JSONValue(id), "token": JSONValue(object.token),
      "note": object.note.map { JSONValue($0) } ?? (nil as JSONValue),
    ]).value
  }

  private mutating func answer(_ request: JSONValue) -> (status: Int, body: String) {
    let key = request["key"]?.string ?? ""
    if let known = keys[key] { return known }
    let answer = act(request)
    if !key.isEmpty { keys[key] = answer }
    return answer
  }

  private mutating func act(_ request: JSONValue) -> (status: Int, body: String) {
    func text(_ value: JSONValue) -> String { String(decoding: value.rawBytes, as: UTF8.self) }
    let parts = (request["path"]?.string ?? "").split(separator: "/").map(String.init)
    let sent = try? JSONValue(parsing: Data((request["body"]?.string ?? "").utf8))
    guard let table = parts.first else { return (200, "") }
    guard parts.count > 1 else {
      guard request["method"]?.string == "POST" else {
        let found = objects.filter { $0.value.table == table && request["query"]?.string == "token=\($0.value.token)" }
        return (200, text(JSONValue(found.map { Self.json($0.key, $0.value) })))
      }
      let object = Object(table: table, token: sent?["token"]?.string ?? "", note: sent?["note"]?.string)
      let id = objects.count + 1
      objects[id] = object
      creates[object.token, default: 0] += 1
      return (201, text(Self.json(id, object)))
    }
    guard let id = Int(parts[1]), var object = objects[id] else { return (404, "") }
    if let note = sent?["note"]?.string { object.note = note }
    objects[id] = object
    return (200, text(Self.json(id, object)))
  }
}
