import Foundation
import SampleServer
import Testing

/// The samples of the README and of *First steps* run; DocumentTests compare them with the built files.
@Suite struct ReadmeTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  @Test func `the first sample gets, edits and puts`() async throws {
    let server = SampleServer(userCount: 150)
    let url = try await server.start()
    let result = try await run(Self.products.appending(path: "FirstMinutes").path, [url.absoluteString])
    await server.stop()
    #expect(result.status == 0, "\(result.output)")
    #expect(result.output == "true true\n200 ada@example.com true\n", "\(result.output)")
  }

  /// In modules of a user, with each default isolation.
  @Test(arguments: ["Plain", "MainActorDefault", "NonsendingDefault"])
  func `the sample runs as printed`(_ name: String) async throws {
    let server = SampleServer(userCount: 150)
    let url = try await server.start()
    let file = FileManager.default.temporaryDirectory.appending(path: "readme-\(UUID().uuidString).sqlite")
    let result = try await run(Self.products.appending(path: name).path, [url.absoluteString, file.path])
    await server.stop()
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + suffix) }
    #expect(result.status == 0, "\(name): \(result.output)")
    let lines = result.output.split(separator: "\n").map(String.init)
    #expect(lines.contains("1.0"))
    #expect(lines.contains { $0.hasPrefix("100 users, the first in ") && !$0.hasSuffix("-") })
    #expect(lines.suffix(3) == ["/users/42", "1 written", "[42]"])
  }

  /// The folder of the build that the test bundle is in.
  private static let products: URL = {
    let bundle = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
    let folders = [bundle, bundle.deletingLastPathComponent()]
    return folders.first { FileManager.default.fileExists(atPath: $0.appending(path: "Plain").path) } ?? bundle
  }()

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
