import Foundation
import TestSupport
import Testing

/// A mounted folder, for behaviour that only a real file system has. Making one takes root and a kernel that lets it.
final class Mount: Sendable {
  let url: URL

  /// Why tests that mount are skipped.
  static let reason: Comment = "mounting takes root with the right to mount"
  static let isPossible = (try? Mount(tmpfs: "64k")) != nil

  /// A file system of a fixed size.
  convenience init(tmpfs size: String) throws {
    try self.init(["-t", "tmpfs", "-o", "size=\(size)", "tmpfs"])
  }

  /// A folder, seen as one on a read-only medium.
  convenience init(readOnly folder: URL) throws {
    try self.init(["--bind", folder.path])
    // Linux takes no other flag together with a bind.
    try Self.run("mount", ["-o", "remount,ro,bind", url.path])
  }

  private init(_ arguments: [String]) throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("entity-mount-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    try Self.run("mount", arguments + [url.path])
  }

  deinit {
    // Lazily: a connection may be about to close.
    try? Self.run("umount", ["-l", url.path])
    try? FileManager.default.removeItem(at: url)
  }

  var file: URL { url.appendingPathComponent("store.sqlite") }

  /// Takes all the space that is left.
  func fill() throws {
    let path = url.appendingPathComponent("filler").path
    guard let file = fopen(path, "w") else { throw Failure(text: "no filler can be made") }
    setvbuf(file, nil, _IONBF, 0)
    let page = [UInt8](repeating: 1, count: 4096)
    for size in [4096, 512, 1] {
      while fwrite(page, 1, size, file) == size {}
    }
    fclose(file)
  }

  func empty() throws { try FileManager.default.removeItem(at: url.appendingPathComponent("filler")) }

  struct Failure: Error {
    let text: String
  }

  private static func run(_ tool: String, _ arguments: [String]) throws {
    let status = try ChildProcess.run("/usr/bin/env", [tool] + arguments).status
    guard status == 0 else { throw Failure(text: "\(tool) failed") }
  }
}
