import Adapters
import EntityClient
import Foundation
import Synchronization
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Processes of an app that are killed in the middle of an upload. The next one goes on from the server's place.
@Suite(
  .enabled(if: UploadWorker.program != nil, "the tests are no program that can be started again"),
  .timeLimit(.minutes(5)))
struct KilledUploadTests {
  @Test(.enabled(if: TusService.url != nil, "scripts/integration starts the service"), arguments: [true, false])
  func `an upload by tus goes on after a kill`(isTaken: Bool) async throws {
    let scene = try UploadScene([Reel.self], at: TusService.url, size: 450_000)
    defer { scene.remove() }
    let id = try await scene.reel()
    let name = "killed-\(UUID().uuidString).bin"
    try await scene.device.outbox.attach(scene.file, as: "film", to: id, filename: name)
    let again = try await scene.kill(.tus, atPiece: 3, isTaken: isTaken)
    #expect(try await again.sendAll())
    #expect(try TusService.uploaded(name) == scene.data)
    // The third piece may have come though the process did not hear of it.
    let pieces = Array(repeating: "PATCH 204", count: isTaken ? 2 : 3)
    #expect(again.log.take().texts == ["HEAD 200"] + pieces)
  }

  @Test(.enabled(if: StorageService.url != nil, "scripts/integration starts the service"), arguments: [true, false])
  func `an upload by Content-Range goes on after a kill`(isTaken: Bool) async throws {
    let scene = try UploadScene([Negative.self], at: StorageService.url, size: 9 << 17)
    defer { scene.remove() }
    let uid = Int.random(in: 1...1_000_000_000)
    let id = try await scene.negative(uid)
    try await scene.device.outbox.attach(scene.file, as: "scan", to: id)
    let again = try await scene.kill(.storage, atPiece: 3, isTaken: isTaken)
    #expect(try await again.sendAll())
    #expect(try await StorageService.uploaded("scan-\(uid)", by: again.direct) == scene.data)
    let pieces = Array(repeating: "PUT 308", count: isTaken ? 1 : 2)
    #expect(again.log.take().texts == ["PUT 308"] + pieces + ["PUT 200"])
  }
}

extension UploadScene {
  /// Starts a process that sends from the file of this scene's device, and kills it.
  ///
  /// - Parameters:
  ///   - piece: The number of the piece at which the process dies.
  ///   - isTaken: Whether the server gets that piece.
  /// - Returns: The app, started again.
  fileprivate func kill(_ kind: UploadWorker.Kind, atPiece piece: Int, isTaken: Bool) async throws -> OutboxDevice {
    await device.outbox.stop()
    try await device.store.close()
    let path = device.file.path
    let said = try await withCheckedThrowingContinuation { continuation in
      // The thread waits for the process.
      Thread.detachNewThread {
        continuation.resume(with: Result { try UploadWorker.killed(kind, path, piece: piece, isTaken: isTaken) })
      }
    }
    #expect(said == "\(UploadWorker.mark)piece \(piece)")
    return try device.again()
  }
}

/// The process of an app that ``KilledUploadTests`` kills: no test by itself.
@Suite(.enabled(if: UploadWorker.job != nil, "this process is no worker"), .timeLimit(.minutes(5)))
struct UploadWorkerTests {
  @Test func work() async throws {
    let job = try #require(UploadWorker.job)
    let kind = try #require(UploadWorker.Kind(rawValue: job[0]))
    let piece = try #require(Int(job[1]))
    let base = kind == .tus ? TusService.url : StorageService.url
    let entities: [any ManagedEntity.Type] = kind == .tus ? [Reel.self] : [Negative.self]
    let device = try OutboxDevice(entities, file: URL(filePath: job[3])) { adapter, store in
      try Client(
        adapter: StoppingAdapter(adapter, piece: piece, isTaken: job[2] == "true"), store: store, baseURL: base ?? "")
    }
    try await device.outbox.send()
    Issue.record("The process was not killed.")
  }
}

/// How a process becomes a worker.
private enum UploadWorker {
  enum Kind: String { case tus, storage }

  /// Marks the line that is for the other process, and not the test library's.
  static let mark = "@"
  /// The name of the variable that tells a worker what to upload, the number of the piece, whether the server gets it, and the
  /// store's file.
  private static let variable = "ENTITYCLIENT_UPLOAD_WORKER"
  static let job = ProcessInfo.processInfo.environment[variable]?.split(separator: "\t").map(String.init)
  /// The path of this program; `nil` where tests are not a program.
  static let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")

  /// Runs a worker until it says that it is at its piece, and kills it.
  ///
  /// - Returns: The line that it said; an empty one where it ended before.
  static func killed(_ kind: Kind, _ file: String, piece: Int, isTaken: Bool) throws -> String {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: program ?? "")
    process.arguments = [
      "--testing-library", "swift-testing", "--filter",
      #"\#(String(reflecting: UploadWorkerTests.self).replacing(".", with: #"\."#))/"#,
    ]
    process.environment = ProcessInfo.processInfo.environment.merging(
      [variable: "\(kind.rawValue)\t\(piece)\t\(isTaken)\t\(file)"]) { $1 }
    process.standardOutput = output
    try process.run()
    defer {
      // SIGTERM would let the process end in order.
      Foundation.kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
    var said = Data()
    while true {
      let next = output.fileHandleForReading.availableData
      guard !next.isEmpty else { return "" }
      said.append(next)
      let lines = String(decoding: said, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
      if let line = lines.dropLast().first(where: { $0.hasPrefix(mark) }) { return String(line) }
    }
  }
}

/// Stops for good at a piece of an upload, and says so on the standard output.
private final class StoppingAdapter: RequestAdapter {
  private let adapter: any RequestAdapter
  private let piece: Int
  private let isTaken: Bool
  private let count = Mutex(0)

  init(_ adapter: any RequestAdapter, piece: Int, isTaken: Bool) {
    (self.adapter, self.piece, self.isTaken) = (adapter, piece, isTaken)
  }

  @concurrent func send(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> HTTPResponse {
    let isPiece =
      request.value(forHTTPHeaderField: "Upload-Offset") != nil
      || request.value(forHTTPHeaderField: "Content-Range")?.hasPrefix("bytes */") == false
    let number = count.withLock { count in
      if isPiece { count += 1 }
      return count
    }
    guard isPiece, number == piece else { return try await adapter.send(request, body: body, progress: progress) }
    if isTaken { _ = try await adapter.send(request, body: body, progress: progress) }
    try FileHandle.standardOutput.write(contentsOf: Data("\(UploadWorker.mark)piece \(piece)\n".utf8))
    // The other process kills this one.
    while true { try await Task.sleep(for: .seconds(60)) }
  }
}
