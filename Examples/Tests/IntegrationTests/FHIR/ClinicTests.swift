import EntityClient
import EntityTesting
import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A service of FHIR R4B, by fhirstarter and fhir.resources. Each test has patients of its own.
@MainActor @Suite(.enabled(if: Clinic.url != nil, "scripts/integration starts the service"))
struct ClinicTests {
  // MARK: Lists

  @Test func `Bundles are walked by their links, and a second walk writes nothing`() async throws {
    try await Clinic.client { client in
      let ids = try await Clinic.fill(client, 25)
      let pages = Patient.pages(
        query: ["_count": 10], by: .listedLinks("link", relation: "relation", url: "url"),
        options: .deleteMissing(in: Patient.all))
      let all = try await pages.all()
      #expect(all.ids.count == 25)
      #expect(all.pages == 3)
      #expect(try await pages.all().counts.rowsWritten == 0)
      try await Bystander(client: client).send(.delete, "Patient/\(ids[3])")
      #expect(try await pages.all().counts.deleted == 1)
    }
  }

  @Test func `a Bundle without matches has no entry, and is an empty list`() async throws {
    try await Clinic.client { _ in
      let found = try await Patient.get()
      #expect(found.ids.isEmpty)
    }
  }

  @Test func `the newest version of a history counts, and its deletions are skipped`() async throws {
    try await Clinic.client { client in
      let ids = try await Clinic.fill(client, 2)
      let patient = try #require(try await Patient.get(ids[0]).object)
      try await Clinic.put(client, ids[0], ["gender": "female"])
      try await Bystander(client: client).send(.delete, "Patient/\(ids[1])")
      // An element without a resource, as that of the deletion, is refused: `.skipping` passes over it.
      let history = try await Patient.get("_history", options: .skipping)
      #expect(Set(history.ids).count == 2)
      #expect(patient.gender == "female")
      #expect(patient.version == "2")
    }
  }

  // MARK: One resource

  @Test func `a resource is made, read, edited and deleted`() async throws {
    try await Clinic.client { client in
      let patient = try client.store.main.insert(Patient.self)
      patient.names = [HumanName(family: "Ng", given: ["Ada", "Bo"])]
      patient.birthDate = "1974-12-25"
      try await patient.post(\.resourceType, \.names, \.birthDate)
      #expect(patient.uid.count == 36)
      #expect(patient.version == "1")
      #expect(patient.family == "Ng")
      #expect(try await Patient.get(uid: patient.uid).counts.rowsWritten == 0)
      patient.gender = "other"
      try await patient.put { try $0.setJSON(patient.jsonObject(for: \.resourceType, \.uid, \.names, \.gender)) }
      #expect(!patient.hasChanges)
      #expect(patient.version == "2")
      // The resource was replaced by what the body has.
      #expect(patient.birthDate == nil)
      let uid = patient.uid
      #expect(try await Patient.delete(uid).counts.deleted == 1)
      #expect(patient.isDeleted)
      let error = try await #require(throws: RequestError.self) { try await Patient.get(uid: uid) }
      #expect(error.status == 410)
      #expect(error.model(as: Clinic.Outcome.self)?.issue.first?.code == "deleted")
    }
  }

  // MARK: Conflicts and mistakes

  @Test func `a resource that breaks the specification is refused with the place, and the edit stays`() async throws {
    try await Clinic.client { client in
      let ids = try await Clinic.fill(client, 1)
      let patient = try #require(try await Patient.get(ids[0]).object)
      patient.birthDate = "Christmas"
      let error = try await #require(throws: RequestError.self) {
        try await patient.put { try $0.setJSON(patient.jsonObject(for: \.resourceType, \.uid, \.birthDate)) }
      }
      #expect(error.status == 400 || error.status == 422)
      let issue = try #require(error.model(as: Clinic.Outcome.self)?.issue.first)
      #expect(issue.details?.text?.contains("birthDate") == true)
      #expect(patient.hasChanges)
      #expect(try await Bystander(client: client).get("Patient/\(ids[0])")["birthDate"] == nil)
    }
  }

  @Test func `a property of another type than was declared is named with its place, and the old rows stay`()
    async throws
  {
    try await Clinic.client { client in
      let known: JSONValue = ["entry": [["resource": ["id": "a", "gender": 5]]]]
      try await Visitor.upsert(from: known.rawBytes)
      try await Clinic.fill(client, 2)
      let error = try await #require(throws: RequestError.self) {
        try await Visitor.get(options: .deleteMissing(in: Visitor.all))
      }
      #expect(error.description.contains("'Visitor.gender' can't be read from 'gender' of object 0"), "\(error)")
      #expect(try client.store.main.fetch(Visitor.all).map(\.gender) == [5])
    }
  }

  // MARK: Offline

  @Test func `resources that were made and edited offline are sent with their versions`() async throws {
    let (device, other) = try Clinic.devices()
    defer {
      device.remove()
      other.remove()
    }
    device.faults.inject(.unsent(.connection), .first(1)).inject(.lost(.timeout), .number(2))
    let uid = UUID().uuidString.lowercased()
    let id = try await device.edit { context in
      try context.make(Patient.self) { patient in
        (patient.uid, patient.gender) = (uid, "female")
        patient.names = [HumanName(family: "Ng", given: ["Ada"])]
      }.entityID
    }
    #expect(try await device.outbox.send().text == "1 left, offline")
    #expect(try await device.sendAll())
    #expect(try await device.pending.isEmpty)
    // Somebody else edits the resource meanwhile.
    try await other { try await Patient.get(uid: uid) }
    try await other.edit { try #require(try $0.fetch(Patient.self, uid: uid)).birthDate = "1974-12-25" }
    #expect(try await other.outbox.send().text == "1 sent")
    _ = device.log.take()
    try await device.edit { try $0.known(id).gender = "other" }
    #expect(try await device.outbox.send().left == 0)
    let lines = device.log.take()
    #expect(lines.texts == ["PUT 412", "GET 200", "PUT 200"])
    #expect(lines.map { $0.headers["If-Match"] } == [#"W/"1""#, nil, #"W/"2""#])
    let patient = try await Bystander(client: device.direct).get("Patient/\(uid)")
    #expect((patient["gender"]?.string, patient["birthDate"]?.string) == ("other", "1974-12-25"))
    #expect(patient["meta"]?["versionId"]?.string == "3")
    // A deletion of the version that is there.
    try await device.edit { try $0.delete($0.known(id)) }
    #expect(try await device.outbox.send().left == 0)
    #expect(device.log.take().map { $0.headers["If-Match"] } == [#"W/"3""#])
  }
}

/// The service, where `scripts/integration` has started it.
private enum Clinic {
  static let url = WebService.variable("ENTITYCLIENT_FHIR")
  static let entities: [any ManagedEntity.Type] = [Patient.self, Visitor.self]

  /// An OperationOutcome.
  struct Outcome: Decodable, Sendable {
    struct Issue: Decodable, Sendable {
      struct Details: Decodable, Sendable { let text: String? }

      let code: String
      let details: Details?
    }

    let issue: [Issue]
  }

  /// Two apps that share patients of their own.
  static func devices() throws -> (OutboxDevice, OutboxDevice) {
    let base = try #require(url) + UUID().uuidString + "/"
    func device() throws -> OutboxDevice {
      try OutboxDevice(entities) { adapter, store in
        try Client(
          adapter: adapter, store: store, baseURL: base, headers: ["Accept": "application/fhir+json"],
          errorModel: ErrorModel(Outcome.self))
      }
    }
    return (try device(), try device())
  }

  /// Runs `body` with a client of patients of its own.
  @MainActor static func client(_ body: @MainActor (Client) async throws -> Void) async throws {
    let device = try devices().0
    defer { device.remove() }
    try await Client.withClient(device.direct) { try await body(device.direct) }
  }

  /// Makes patients.
  ///
  /// - Returns: Their ids.
  @discardableResult
  static func fill(_ client: Client, _ count: Int) async throws -> [String] {
    var ids: [String] = []
    for number in 1...count {
      let response = try await Bystander(client: client).send(
        .post, "Patient",
        [
          "resourceType": "Patient", "gender": "male",
          "name": [["family": JSONValue("Family \(number)"), "given": ["A", "B"]]],
        ])
      ids.append(try #require(try JSONValue(parsing: response.body)["id"]?.string))
    }
    return ids
  }

  static func put(_ client: Client, _ id: String, _ values: [String: JSONValue]) async throws {
    let own: [String: JSONValue] = ["resourceType": "Patient", "id": JSONValue(id)]
    try await Bystander(client: client).send(.put, "Patient/\(id)", JSONObject(own.merging(values) { $1 }).value)
  }
}

private struct HumanName: Codable, Sendable, Hashable {
  var family: String?
  var given: [String]?
}

@Entity private final class Patient: OutboxEntity {
  @UID @Key("id") var uid: String
  @Key("resourceType") var resourceType: String = "Patient"
  @Key("name") var names: [HumanName]?
  @Key("name[0].family") var family: String?
  var gender: String?
  @Key("birthDate") var birthDate: String?
  @Key("meta.versionId") var version: String?
  @Key("meta.lastUpdated") var lastUpdated: Date?

  static var basePath: String { "Patient" }
  // A Bundle without matches has no entry.
  static var envelope: Envelope? {
    Envelope(list: "entry[].resource").emptyIfAbsent(in: Discriminator("resourceType", "Bundle"))
  }
  static var discriminator: Discriminator? { Discriminator("resourceType", "Patient") }
  // A history has the newest version of a resource first.
  static var versionAttribute: PartialKeyPath<Patient>? { \.lastUpdated }
  // A PUT replaces the resource: what an answer lacks, it has not.
  static var absentKeys: AbsentKeys<Patient> { .clear(\.gender, \.birthDate, \.names) }
  static var outbox: OutboxRules<Patient> {
    @Sendable func request(_ patient: Patient, _ change: OutboxChange) throws -> URLRequest {
      var request = try patient.request(.put)
      try request.setJSON(patient.jsonObject(for: \.resourceType, \.uid, \.names, \.gender, \.birthDate))
      return request
    }
    return [
      .creating(.put), .updating(.put), .request(to: .create, request), .request(to: .update, request),
      .ifMatch(.attribute(\.version, isWeak: true)),
    ]
  }
}

/// A patient, declared wrongly.
@Entity private final class Visitor: RemoteEntity {
  @UID @Key("id") var uid: String
  var gender: Int

  static var basePath: String { "Patient" }
  static var envelope: Envelope? { Envelope(list: "entry[].resource") }
}
