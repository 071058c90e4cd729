import Foundation
import Testing

@testable import EntityStore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Where a store's file can be, and the errors of other places.
struct StoreLocationTests {
  private func refusal(_ url: URL) -> StoreError? {
    let before = try? FileManager.default.attributesOfItem(atPath: url.path)[.type] as? FileAttributeType
    let error = #expect(throws: StoreError.self) { try EntityStore(.file(url), entities: [Part.self]) }
    #expect((try? FileManager.default.attributesOfItem(atPath: url.path)[.type] as? FileAttributeType) == before)
    return error
  }

  @Test(arguments: ["/dev/null", "/dev/zero"]) func aDeviceIsNoPlaceForAStore(_ path: String) throws {
    let error = try #require(refusal(URL(filePath: path)))
    #expect(error.kind == .invalidLocation)
    #expect(
      error.message == "'\(path)' is a device: name the store's file, which is made where it is not there.")
  }

  @Test func aFolderIsNoPlaceForAStore() throws {
    let folder = try TemporaryFolder()
    let link = folder.url.appending(path: "link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder.url)
    for url in [folder.url, link] {
      #expect(refusal(url)?.kind == .invalidLocation)
      #expect(refusal(url)?.message.contains("is a folder: ") == true)
    }
  }

  @Test func aPipeIsNoPlaceForAStore() throws {
    let folder = try TemporaryFolder()
    #expect(mkfifo(folder.file.path, 0o600) == 0)
    #expect(refusal(folder.file)?.kind == .invalidLocation)
  }

  @Test(arguments: [
    "https://example.com/store.sqlite", "store.sqlite", "data:,x", "file://server/share/store.sqlite", "file:",
    "file:///tmp/a%00b.sqlite",
  ]) func aURLThatIsNoFileOfThisMachineIsRefused(_ text: String) throws {
    let url = try #require(URL(string: text))
    #expect(errorKind { _ = try EntityStore(.file(url), entities: [Part.self]) } == .invalidLocation)
  }

  /// The message has none of it but the scheme: a URL may hold credentials.
  @Test func theContentOfARemoteURLIsNotTold() throws {
    let url = try #require(URL(string: "https://ada:secret@example.com/store.sqlite?token=secret"))
    let error = #expect(throws: StoreError.self) { try EntityStore(.file(url), entities: [Part.self]) }
    #expect(error?.message == "'https:…' is no file URL: make one with URL(filePath:).")
  }

  @Test func aLinkToAFileIsThatFileEvenBeforeItIsThere() throws {
    let folder = try TemporaryFolder()
    let link = folder.url.appending(path: "link.sqlite")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder.file)
    for _ in 0..<2 {
      _ = try EntityStore(.file(link), entities: [Part.self])
      #expect(FileManager.default.fileExists(atPath: folder.file.path))
    }
    let local = try #require(URL(string: "file://localhost\(folder.file.path)"))
    _ = try EntityStore(.file(local), entities: [Part.self])
  }
}
