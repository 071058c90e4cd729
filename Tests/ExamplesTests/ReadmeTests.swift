import Foundation
import SampleServer
import Testing

/// The README's sample: what is printed is what compiles, and it runs.
@Suite struct ReadmeTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  private static let package = root.appending(path: "Examples/ReadmeSample")

  @Test func theReadmePrintsTheSampleThatIsBuilt() throws {
    let readme = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
    let sample = try String(contentsOf: Self.package.appending(path: "Sources/Plain/Sample.swift"), encoding: .utf8)
    #expect(readme.contains("```swift\n\(sample)```\n"))
  }

  /// In packages of a user, with each default isolation. Takes the time of a build.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["ENTITYCLIENT_TSAN"] == nil, "builds without sanitizers"))
  func theSampleRunsAsPrinted() async throws {
    let build = try await run("swift", ["build", "--package-path", Self.package.path])
    try #require(build.status == 0, Comment(rawValue: build.output))
    let bin = try await run("swift", ["build", "--package-path", Self.package.path, "--show-bin-path"])
    let folder = URL(filePath: bin.output.trimmingCharacters(in: .whitespacesAndNewlines))
    for name in ["Plain", "MainActorDefault", "NonsendingDefault"] {
      let server = SampleServer(userCount: 150)
      let url = try await server.start()
      let file = FileManager.default.temporaryDirectory.appending(path: "readme-\(UUID().uuidString).sqlite")
      let result = try await run(folder.appending(path: name).path, [url.absoluteString, file.path])
      await server.stop()
      for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + suffix) }
      #expect(result.status == 0, "\(name): \(result.output)")
      let lines = result.output.split(separator: "\n").map(String.init)
      #expect(lines.contains("1.0"))
      #expect(lines.contains { $0.hasPrefix("100 users, the first in ") && !$0.hasSuffix("-") })
      #expect(lines.suffix(3) == ["/users/42", "1 written", "[42]"])
    }
  }

  /// Runs a program to its end, its standard error with its output.
  private func run(_ program: String, _ arguments: [String]) async throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.standardInput = FileHandle.nullDevice
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    return try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        do {
          try process.run()
          let data = pipe.fileHandleForReading.readDataToEndOfFile()
          process.waitUntilExit()
          continuation.resume(returning: (process.terminationStatus, String(decoding: data, as: UTF8.self)))
        } catch {
          continuation.resume(throwing: error)
        }
      }
    }
  }
}
