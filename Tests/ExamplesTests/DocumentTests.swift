import Foundation
import Testing

/// What the documents print is what compiles: each block says where it stands, as a whole file or a part of one, or that
/// the tests of the macro compile it by itself.
@Suite struct DocumentTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private static let documents: [String] =
    ["README.md"]
    + ((try? FileManager.default.contentsOfDirectory(atPath: root.appending(path: "docs").path)) ?? [])
    .filter { $0.hasSuffix(".md") }.map { "docs/\($0)" }

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The blocks of Swift in a document, each with the line before it.
  private static func blocks(_ document: String) throws -> [(marker: String, code: String)] {
    var blocks: [(marker: String, code: String)] = []
    var before = ""
    var code: String?
    for line in try text(document).split(separator: "\n", omittingEmptySubsequences: false) {
      if let lines = code {
        if line == "```" {
          blocks.append((before, lines))
          code = nil
        } else {
          code = lines + line + "\n"
        }
      } else if line == "```swift" {
        code = ""
      } else {
        before = String(line)
      }
    }
    return blocks
  }

  @Test(arguments: documents) func aPrintedSampleIsWhatIsBuilt(_ document: String) throws {
    var count = 0
    for (marker, code) in try Self.blocks(document) {
      guard let match = marker.wholeMatch(of: /<!-- (sample|part of): (\S+) -->/) else { continue }
      count += 1
      let file = try Self.text(String(match.2))
      if match.1 == "sample" {
        #expect(code == file, "\(document) prints another \(match.2)")
      } else {
        #expect(("\n" + file).contains("\n" + code), "\(document) prints what is not in \(match.2)")
      }
    }
    #expect(count > 0)
  }

  /// The README has a few lines of a manifest and of a test besides.
  @Test(arguments: documents.dropFirst()) func everyBlockIsCompiled(_ document: String) throws {
    let unmarked = try Self.blocks(document).filter {
      $0.marker.wholeMatch(of: /<!-- (compiled|(sample|part of): \S+) -->/) == nil
    }
    #expect(unmarked.map(\.code) == [])
  }

  @Test(arguments: documents) func linksLeadToFiles(_ document: String) throws {
    let folder = Self.root.appending(path: document).deletingLastPathComponent()
    for match in try Self.text(document).matches(of: /\]\(([^)#:]+)\)/) {
      #expect(FileManager.default.fileExists(atPath: folder.appending(path: String(match.1)).path), "\(match.1)")
    }
  }
}
