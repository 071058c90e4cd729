import EntityClient
import EntityTesting
import Foundation
import Testing

// MARK: FHIR R4: https://hl7.org/fhir/R4/http.html

struct HumanName: Codable, Sendable, Hashable {
  var family: String?
  var given: [String]?
}

@Entity final class FHIRPatient: RemoteEntity {
  @UID @Key("id") var uid: String
  @Key("resourceType") var resourceType: String = "Patient"
  @Key("name") var names: [HumanName]?
  @Key("name[0].family") var family: String?
  var gender: String?
  @Key("meta.versionId") var version: String?

  static var basePath: String { "Patient" }
  // A Bundle without matches has no entry.
  static var envelope: Envelope? {
    Envelope(list: "entry[].resource").emptyIfAbsent(in: Discriminator("resourceType", "Bundle"))
  }
  static var discriminator: Discriminator? { Discriminator("resourceType", "Patient") }
  // A PUT replaces the resource: what an answer lacks, it has not.
  static var absentKeys: AbsentKeys<FHIRPatient> { .clear(\.names, \.gender) }
  // A deletion in a history: {"request": {"method": "DELETE", "url": "Patient/7"}}
  static var deletedElements: DeletedElements? {
    DeletedElements { element in
      guard element["request.method"]?.string == "DELETE" else { return nil }
      return element["request.url"]?.string.map { .url($0) }
    }
  }

  static func walk() -> EntityPages<FHIRPatient> {
    pages(
      by: .listedLinks("link", relation: "relation", url: "url"), options: .deleteMissing(in: FHIRPatient.all))
  }

  static func changes(since time: String) async throws -> EntityCounts {
    try await get("_history", query: ["_since": time, "_count": 1000], options: .newestFirst).counts
  }

  @MainActor func replace() async throws {
    try await put {
      try $0.setHeaders(["Content-Type": "application/fhir+json"])
      try $0.setJSON(self.jsonObject(for: \.resourceType, \.uid, \.names, \.gender))
    }
  }
}

@Suite(.client(entities: [FHIRPatient.self], baseURL: "https://fhir.example.com/r4/")) @MainActor
struct FHIRServiceTests {
  private static func patient(_ id: String, _ gender: String, version: Int = 1) -> String {
    #"{"resourceType":"Patient","id":"\#(id)","meta":{"versionId":"\#(version)"},"gender":"\#(gender)","#
      + #""name":[{"family":"Berg","given":["Ada"]}]}"#
  }

  private static func bundle(_ resources: [String], next: String? = nil) -> StubAnswer {
    let root = "https://fhir.example.com/r4/Patient"
    let more = next.map { #",{"relation":"next","url":"\#(root)\#($0)"}"# } ?? ""
    let entries = resources.map { #"{"fullUrl":"urn:x","resource":\#($0),"search":{"mode":"match"}}"# }
    return answer(
      #"{"resourceType":"Bundle","id":"b1","type":"searchset","link":[{"relation":"self","url":"\#(root)"}\#(more)]"#
        + (entries.isEmpty ? "}" : #","entry":[\#(entries.joined(separator: ","))]}"#))
  }

  private func lines() throws -> [String] {
    try Client.current.store.main.fetch(FHIRPatient.all.sorted(by: \.uid)).map { "\($0.uid) \($0.gender ?? "-")" }
  }

  @Test func `patients are walked, read, replaced and deleted`() async throws {
    let stub = try StubAdapter.current
    stub.on(
      .get, "/r4/Patient", Self.bundle([Self.patient("a", "female"), Self.patient("b", "male")], next: "?page=2"))
    stub.on(.get, "/r4/Patient?page=2", Self.bundle([Self.patient("c", "other")]))
    #expect(try await FHIRPatient.walk().all().ids.count == 3)
    #expect(try await FHIRPatient.walk().all().counts.rowsWritten == 0)
    stub.on(.get, "/r4/Patient/b", answer(Self.patient("b", "unknown", version: 2)))
    let patient = try #require(try await FHIRPatient.get(uid: "b").object)
    #expect(patient.gender == "unknown" && patient.family == "Berg" && patient.version == "2")
    stub.on(.put, "/r4/Patient/b", answer(Self.patient("b", "male", version: 3)))
    patient.gender = "male"
    try await patient.replace()
    #expect(
      stub.requests.last?.json == [
        "resourceType": "Patient", "id": "b", "name": [["family": "Berg", "given": ["Ada"]]], "gender": "male",
      ])
    #expect(stub.requests.last?.headers["Content-Type"] == "application/fhir+json")
    #expect(!patient.hasChanges && patient.version == "3")
    stub.on(.delete, "/r4/Patient/b", .status(204))
    try await patient.delete()
    #expect(try lines() == ["a female", "c other"])
  }

  @Test func `a walk over a Bundle without matches deletes the last patients, and an outcome deletes none`()
    async throws
  {
    let stub = try StubAdapter.current
    stub.on(.get, "/r4/Patient", Self.bundle([Self.patient("a", "female")]))
    try await FHIRPatient.walk().all()
    stub.on(.get, "/r4/Patient", answer(#"{"resourceType":"OperationOutcome","id":"x","issue":[]}"#))
    #expect(try await requestError { try await FHIRPatient.walk().all() }.kind == .envelope)
    #expect(try lines() == ["a female"])
    stub.on(.get, "/r4/Patient", Self.bundle([]))
    #expect(try await FHIRPatient.walk().all().counts.deleted == 1)
    #expect(try lines() == [])
    #expect(try await FHIRPatient.walk().all().counts.rowsWritten == 0)
  }

  /// The newest version stands first, of each resource.
  private static var history: [String] {
    func version(_ resource: String) -> String { #"{"request":{"method":"PUT"},"resource":\#(resource)}"# }
    func deletion(_ url: String) -> String { #"{"request":{"method":"DELETE","url":"\#(url)"}}"# }
    return [
      deletion("Patient/a"), version(Self.patient("b", "other", version: 3)), version(Self.patient("a", "female")),
      version(Self.patient("b", "unknown", version: 2)), version(Self.patient("d", "female", version: 3)),
      deletion("Patient/d/_history/2"), version(Self.patient("d", "male")),
      deletion("https://fhir.example.com/r4/Patient/e"), version(Self.patient("e", "male")),
    ]
  }

  @Test(arguments: 1...4) func `the first page of a history that has a resource counts`(_ size: Int) async throws {
    let (stub, history) = (try StubAdapter.current, Self.history)
    stub.on(.get, "/r4/Patient", Self.bundle([Self.patient("a", "female"), Self.patient("b", "male")]))
    try await FHIRPatient.walk().all()
    stub.on(
      .get, "/r4/Patient/_history",
      .respond { request in
        let page = request.query.first { $0.name == "page" }.flatMap { Int($0.value) } ?? 0
        let entries = history.dropFirst(page * size)
        let url = "https://fhir.example.com/r4/Patient/_history?page=\(page + 1)"
        let link = entries.count > size ? #"{"relation":"next","url":"\#(url)"}"# : ""
        let body = entries.prefix(size).joined(separator: ",")
        return HTTPResponse(
          status: 200, headers: ["Content-Type": "application/fhir+json"], url: request.url,
          body: Data(#"{"resourceType":"Bundle","type":"history","link":[\#(link)],"entry":[\#(body)]}"#.utf8))
      })
    let pages = FHIRPatient.pages(
      "_history", by: .listedLinks("link", relation: "relation", url: "url"), options: .newestFirst)
    for _ in 0..<2 {
      try await pages.all()
      #expect(try lines() == ["b other", "d female"])
    }
  }

  @Test func `a history deletes, and older versions bring nothing back`() async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/r4/Patient", Self.bundle([Self.patient("a", "female"), Self.patient("b", "male")]))
    try await FHIRPatient.walk().all()
    stub.on(
      .get, "/r4/Patient/_history",
      answer(#"{"resourceType":"Bundle","type":"history","entry":[\#(Self.history.joined(separator: ","))]}"#))
    for _ in 0..<2 {
      _ = try await FHIRPatient.changes(since: "2026-11-01")
      #expect(try lines() == ["b other", "d female"])
      #expect(try Client.current.store.main.fetch(FHIRPatient.self, uid: "b")?.version == "3")
    }
    stub.on(.get, "/r4/Patient/_history", answer(#"{"resourceType":"Bundle","type":"history","total":0}"#))
    #expect(try await FHIRPatient.changes(since: "2026-12-01") == EntityCounts())
    let streamed = try await requestError {
      try await FHIRPatient.get("_history", streaming: .groups(of: 2), options: .newestFirst)
    }
    #expect(streamed.kind == .invalidRequest)
  }
}
