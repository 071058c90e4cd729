import EntityClient
import EntityTesting
import Foundation
import SampleSchema
import Testing

/// `jsonObject(for:)`: the JSON of properties, which reads back as the same.
@Suite(.sample) @MainActor struct SentObjectTests {
  private func specimen() throws -> Specimen {
    let specimen = try Client.current.store.main.insert(Specimen.self)
    specimen.uid = "s/1"
    specimen.flag = false
    specimen.small = -128
    specimen.big = .max
    specimen.ratio = 0.1
    specimen.text = "é\"\n\u{0}"
    specimen.blob = Data([0, 1, 255])
    specimen.foundAt = Date(timeIntervalSince1970: 1_700_000_000.123)
    specimen.token = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
    specimen.city = "Oslo"
    specimen.street = "Gate 1"
    return specimen
  }

  private let all: [PartialKeyPath<Specimen>] = [
    \.uid, \.flag, \.small, \.big, \.ratio, \.text, \.blob, \.foundAt, \.token, \.city, \.street,
  ]

  @Test func `values are under their keys`() throws {
    let specimen = try specimen()
    #expect(
      try specimen.jsonObject(for: all) == [
        "id": "s/1", "flag": false, "small": -128, "big": JSONValue(UInt64.max), "ratio": 0.1,
        "text": "é\"\n\u{0}", "blob": "AAH/", "found_at": "2023-11-14T22:13:20.123Z",
        "token": "E621E1F8-C36C-495A-93FC-0C247A3E6E5F", "place": ["city": "Oslo", "street": "Gate 1"],
      ])
    #expect(try specimen.jsonObject(for: \.text, \.big).keys == ["big", "text"])
  }

  @Test func `exported JSON reads back as the same`() async throws {
    let specimen = try specimen()
    let exported = try specimen.jsonObject(for: all)
    let other = try EntityStore(.inMemory, entities: [Specimen.self])
    let response = try await Specimen.upsert(from: exported.value, in: other)
    #expect(response.counts.inserted == 1)
    let copy = try #require(try response.object)
    #expect(copy.foundAt == specimen.foundAt)
    #expect(copy.big == .max)
    #expect(copy.token == specimen.token)
    #expect(copy.blob == specimen.blob)
    #expect(try copy.jsonObject(for: all) == exported)
  }

  @Test(arguments: [0.0, 0.1, -0.1, 0.001_5, 1_700_000_000.000_000_2, -62_135_596_799.9, 1_234_567_890.987_654_3])
  func `dates read back as the same`(_ seconds: Double) async throws {
    let specimen = try specimen()
    specimen.foundAt = Date(timeIntervalSince1970: seconds)
    let other = try EntityStore(.inMemory, entities: [Specimen.self])
    let copy = try #require(
      try await Specimen.upsert(from: specimen.jsonObject(for: \.uid, \.foundAt).value, in: other).object)
    #expect(copy.foundAt?.timeIntervalSince1970 == specimen.foundAt?.timeIntervalSince1970)
  }

  @Test func `a property without a value is exported as null`() throws {
    let specimen = try Client.current.store.main.insert(Specimen.self)
    #expect(
      try specimen.jsonObject(for: \.uid, \.flag, \.blob, \.foundAt, \.city) == [
        "id": nil, "flag": nil, "blob": nil, "found_at": nil, "place": ["city": nil],
      ])
    #expect(try specimen.jsonObject(for: []).count == 0)
  }

  @Test func `a relationship is exported as the uid of its object`() async throws {
    let context = try Client.current.store.main
    let user = try context.insert(User.self)
    #expect(try user.jsonObject(for: \.address) == ["address": nil])
    let address = try context.insert(Address.self)
    user.address = address
    #expect(try await requestError { try user.jsonObject(for: \.address) }.kind == .missingUID)
    address.uid = 7
    #expect(try user.jsonObject(for: \.address, \.firstName) == ["address": 7, "first": nil])
  }

  @Test func `a key path that is no property is refused`() async throws {
    let user = try Client.current.store.main.insert(User.self)
    #expect(try await requestError { try user.jsonObject(for: \.isDeleted) }.kind == .invalidRequest)
    #expect(try await requestError { try user.jsonObject(for: \.posts) }.kind == .invalidRequest)
    let specimen = try specimen()
    specimen.ratio = .infinity
    #expect(try await requestError { try specimen.jsonObject(for: \.ratio) }.kind == .invalidRequest)
    specimen.foundAt = Date(timeIntervalSince1970: 1e15)
    #expect(try await requestError { try specimen.jsonObject(for: \.foundAt) }.kind == .invalidRequest)
  }
}
