import EntityClient
import EntityTesting
import Foundation
import SampleSchema
import Synchronization
import Testing

@testable import EntityRequests

/// Two accounts share no answers, and no secret is written.
struct IdentityTests {
  private static let secret = "Bearer s3cr3t-t0k3n"

  @Test func `the answers of one account are not given to another`() async throws {
    let name = CachingServer.Text("ada")
    let server = CachingServer()
    let client = try server.client(headers: ["Authorization": Self.secret]) { name.value }
    try await Client.withClient(client) {
      try await User.get(options: .asked)
      #expect(try await client.store.noteCount() == 1)
      name.value = "bob"
      #expect(try await requestError { try await User.get(options: .known) }.kind == .notCached)
      #expect(try await User.get(options: .asked).origin == .network)
      name.value = "ada"
      #expect(try await User.get(options: .known).ids.count == 2)
      // A token that was renewed is the same account's.
      let renewed = try await User.get(options: .known, modify: { try $0.setHeaders(["Authorization": "Bearer 2"]) })
      #expect(renewed.ids.count == 2)
      #expect(server.tags == ["-", "-"])
    }
  }

  @Test(arguments: ["Authorization", "Cookie", "X-Api-Key", "X-Session"])
  func `without an identity the credentials tell answers apart`(_ field: String) async throws {
    try await CachingServer.withClient { server, client in
      func get(_ value: String, _ options: ResponseOptions<User>) async throws -> EntityResponse<User> {
        try await User.get(options: options, modify: { try $0.setHeaders([field: value]) })
      }
      _ = try await get("a", .asked)
      #expect(try await client.store.noteCount() == 0)
      #expect(try await get("a", .known).ids.count == 2)
      #expect(try await requestError { try await get("b", .known) }.kind == .notCached)
      #expect(try await requestError { try await User.get(options: .known) }.kind == .notCached)
    }
  }

  @Test func `no secret is in the file or in an error`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = CachingServer(headers: ["Set-Cookie": "s3cr3t-c00kie", "Vary": "Authorization, Cookie"])
    let store = try EntityStore(.file(folder.appending(path: "store.sqlite")), entities: sampleEntities)
    for identity in [nil, { "s3cr3t-id" }] as [(@Sendable () -> String?)?] {
      let client = try server.client(
        store, headers: ["Authorization": Self.secret, "Cookie": "a=s3cr3t-c00kie"], identity: identity)
      try await Client.withClient(client) {
        try await User.get(query: ["access_token": "s3cr3t-qu3ry"], options: .asked)
        let error = try await requestError {
          try await User.get(query: ["access_token": "s3cr3t-0ther"], options: .known)
        }
        #expect(!"\(error)".contains("s3cr3t"))
      }
    }
    #expect(try await store.noteCount() == 1)
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    #expect(!files.isEmpty)
    for file in files {
      #expect(try Data(contentsOf: file).range(of: Data("s3cr3t".utf8)) == nil, "\(file.lastPathComponent)")
    }
  }

  /// The examples of FIPS 180-4, as NIST gives them.
  @Test func `the names of notes are hashes`() {
    func hash(_ text: String) -> String {
      var hash = SHA256()
      hash.add(text.utf8)
      return hash.digits()
    }
    #expect(hash("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    #expect(hash("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(
      hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")
        == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
    // One byte less than a block with its length, and a whole block.
    #expect(hash(String(repeating: "a", count: 55)).hasPrefix("9f4390f8d30c2dd92ec9f095b65e2b9a"))
    #expect(hash(String(repeating: "a", count: 64)).hasPrefix("ffe054fe7ae0cb6dc65c3af9b61d5209"))
  }
}
