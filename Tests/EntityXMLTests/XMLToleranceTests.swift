import EntityClient
import EntityTesting
import EntityXML
import Foundation
import Testing

@Entity private final class Crate: RemoteEntity {
  @UID @Key("@id") var uid: Int
  var count: Int?
  var owner: CrateOwner?
  @Key("labels.label") var labels: [CrateOwner]
  var seal: CrateSeal?

  static var basePath: String { "crates" }
  static var envelope: Envelope? { Envelope(list: "crates.crate", item: "crate") }
  static var deletionKey: String? { "gone" }
}

/// As `Crate`, updated by hand.
@Entity private final class HandCrate: RemoteEntity {
  @UID @Key("@id") var uid: Int
  var count: Int?
  var owner: CrateOwner?
  var labels: [CrateOwner]
  var seal: CrateSeal?

  static var basePath: String { "handcrates" }
  static var envelope: Envelope? { Envelope(list: "crates.crate", item: "crate") }
  static var deletionKey: String? { "gone" }

  func update(with response: ResponseObject) throws {
    try response.assign("count", to: &count)
    try response.assign("owner", to: &owner)
    try response.assign("labels.label", to: &labels)
    try response.assign("seal", to: &seal)
  }
}

@Entity private final class CrateOwner: RemoteEntity {
  @UID @Key("id") var uid: String

  static var basePath: String { "owners" }
}

/// Lives in its crate.
@Entity private final class CrateSeal { var text: String? }

private protocol AnyCrate: RemoteEntity {
  var uid: Int { get }
  var count: Int? { get }
  var owner: CrateOwner? { get }
  var labels: [CrateOwner] { get }
  var seal: CrateSeal? { get }
}

extension Crate: AnyCrate {}
extension HandCrate: AnyCrate {}

/// Tolerance with a format that has neither numbers nor lists.
@Suite(.client(entities: [Crate.self, HandCrate.self, CrateOwner.self, CrateSeal.self])) struct XMLToleranceTests {
  private func upsert<E: AnyCrate>(
    _ type: E.Type, _ text: String, _ options: ResponseOptions<E> = []
  ) async throws -> EntityResponse<E> {
    try await E.upsert(from: try read("<crates>\(text)</crates>"), options: options)
  }

  private func lines<E: AnyCrate>(_ type: E.Type) async throws -> [String] {
    try await Client.current.store.read { context in
      try context.fetch(E.self).sorted { $0.uid < $1.uid }.map { crate in
        let labels = crate.labels.map(\.uid).sorted().joined(separator: ",")
        return "\(crate.uid) \(crate.count ?? 0) \(crate.owner?.uid ?? "-") [\(labels)] \(crate.seal?.text ?? "-")"
      }
    }
  }

  @Test func `skipping takes the good objects in`() async throws {
    try await checkSkipping(Crate.self)
    try await checkSkipping(HandCrate.self)
  }

  private func checkSkipping<E: AnyCrate>(_ type: E.Type) async throws {
    let response = try await upsert(
      E.self,
      """
      <crate id='1'><count>3</count><labels><label>a</label></labels></crate>
      <crate id='2'><count>many</count></crate>
      <crate id='3'><count/><labels/></crate>
      """, .skipping)
    #expect(response.refused.map(\.position) == [1])
    #expect(try await lines(E.self) == ["1 3 - [a] -", "3 0 - [] -"])
  }

  @Test func `a blank text names no object and says nothing of a deletion`() async throws {
    try await checkBlank(Crate.self)
    try await checkBlank(HandCrate.self)
  }

  private func checkBlank<E: AnyCrate>(_ type: E.Type) async throws {
    let whole = "<crate id='1'><count>3</count><owner>ada</owner><seal><text>s</text></seal></crate>"
    _ = try await upsert(E.self, whole)
    #expect(try await lines(E.self) == ["1 3 ada [] s"])
    for blank in ["<owner/><seal/><gone/>", "<owner>\n  </owner><seal> </seal><gone>\n</gone>"] {
      _ = try await upsert(E.self, whole)
      for options in [[], .keepingValues] as [ResponseOptions<E>] {
        let response = try await upsert(E.self, "<crate id='1'>\(blank)</crate>", options)
        #expect(response.refused.isEmpty)
        #expect(try await lines(E.self) == ["1 3 - [] -"])
      }
    }
    #expect(try await Client.current.store.read { try $0.fetch(CrateSeal.self).isEmpty })
    await #expect(throws: (any Error).self) { try await upsert(E.self, "<crate id=' '><count>1</count></crate>") }
    #expect(try await upsert(E.self, "<crate id='1'><gone>true</gone></crate>").counts.deleted == 1)
  }

  @Test func `keeping values reads a list of one object and an empty list`() async throws {
    try await checkKeeping(Crate.self)
    try await checkKeeping(HandCrate.self)
  }

  private func checkKeeping<E: AnyCrate>(_ type: E.Type) async throws {
    for (list, found) in [
      ("<label>a</label><label>b</label>", "a,b"), ("<label>c</label>", "c"), ("<label><id>d</id></label>", "d"),
      ("<label/>", ""),
    ] {
      let response = try await upsert(
        E.self, "<crate id='1'><count>many</count><labels>\(list)</labels></crate>", .keepingValues)
      #expect(response.refused.map(\.property) == ["count"])
      #expect(try await lines(E.self) == ["1 0 - [\(found)] -"])
    }
  }
}
