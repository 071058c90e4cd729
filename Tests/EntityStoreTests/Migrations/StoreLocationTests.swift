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

  @Test(arguments: ["/dev/null", "/dev/zero"]) func `a device is no place for a store`(_ path: String) throws {
    let error = try #require(refusal(URL(filePath: path)))
    #expect(error.kind == .invalidLocation)
    #expect(
      error.message == "'\(path)' is a device: name the store's file, which is made where it is not there.")
  }

  @Test func `a folder is no place for a store`() throws {
    let folder = try TemporaryFolder()
    let link = folder.url.appending(path: "link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder.url)
    for url in [folder.url, link] {
      #expect(refusal(url)?.kind == .invalidLocation)
      #expect(refusal(url)?.message.contains("is a folder: ") == true)
    }
  }

  @Test func `a pipe is no place for a store`() throws {
    let folder = try TemporaryFolder()
    #expect(mkfifo(folder.file.path, 0o600) == 0)
    #expect(refusal(folder.file)?.kind == .invalidLocation)
  }

  @Test(arguments: [
    "https://example.com/store.sqlite", "store.sqlite", "data:,x", "file://server/share/store.sqlite", "file:",
    "file:///tmp/a%00b.sqlite",
  ]) func `a URL that is no file of this machine is refused`(_ text: String) throws {
    let url = try #require(URL(string: text))
    #expect(errorKind { _ = try EntityStore(.file(url), entities: [Part.self]) } == .invalidLocation)
  }

  /// The message has none of it but the scheme: a URL may hold credentials.
  @Test func `the content of a remote URL is not shown`() throws {
    let url = try #require(URL(string: "https://ada:secret@example.com/store.sqlite?token=secret"))
    let error = #expect(throws: StoreError.self) { try EntityStore(.file(url), entities: [Part.self]) }
    #expect(error?.message == "'https:…' is no file URL: make one with URL(filePath:).")
  }

  @Test func `a named store is in the app's folder`() async throws {
    let folder = try TemporaryFolder()
    let data = folder.url.appending(path: "share")
    let location = try StoreLocation.named("main", app: "org.example.shop", in: data)
    #expect(location.description == data.appending(path: "org.example.shop/main.sqlite").path)
    let store = try EntityStore(location, entities: [Part.self])
    try await store.background { _ = try $0.insert(Part.self) }
    // The folder and the file are there by now.
    let again = try EntityStore(StoreLocation.named("main", app: "org.example.shop", in: data), entities: [Part.self])
    #expect(try await again.read { try $0.count() } == 1)
    #expect(try StoreLocation.named("main", app: nil, in: data).description.hasSuffix("/main.sqlite"))
    for name in ["", ".", "..", ".hidden", "a/b", "/a", "a\0", "a/\u{301}b"] {
      #expect(errorKind { _ = try StoreLocation.named(name, app: "app", in: data) } == .invalidLocation)
      #expect(errorKind { _ = try StoreLocation.named("main", app: name, in: data) } == .invalidLocation)
    }
    // A file stands where the folder would be.
    try Data().write(to: data.appending(path: "taken"))
    #expect(errorKind { _ = try StoreLocation.named("main", app: "taken", in: data) } == .cannotOpen)
  }

  @Test func `the folder of apps is the system's`() {
    #expect(StoreLocation.dataFolder(["XDG_DATA_HOME": "/data/ada"]).path == "/data/ada")
    // A path that is not absolute is none.
    for environment in [[:], ["XDG_DATA_HOME": ""], ["XDG_DATA_HOME": "share"]] {
      #expect(StoreLocation.dataFolder(environment).path.hasPrefix(URL.homeDirectory.path))
    }
  }

  @Test func `a link to a file is that file even before it is there`() throws {
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
