import EntityClient
import Foundation
import Kinto
import Testing

/// Debian's iso-codes: the source that records are made from and compared with, read by Foundation's own parser.
struct ISOCodes: Sendable {
  typealias Fields = [String: String]

  /// Each by the id that its record has.
  let countries: [String: Fields]
  let subdivisions: [String: Fields]
  let languages: [String: Fields]

  init() throws {
    countries = try Self.read("3166-1") { ($0["alpha_2"], $0) }
    subdivisions = try Self.read("3166-2") { fields in
      guard let code = fields["code"] else { return (nil, fields) }
      var fields = fields
      fields["country"] = String(code.prefix(2))
      // Some parents are named without their country.
      fields["parent"] = fields["parent"].map { $0.contains("-") ? $0 : "\(code.prefix(2))-\($0)" }
      return (code, fields)
    }
    languages = try Self.read("639-3") { ($0["alpha_3"], $0) }
    // A comparison with empty lists would always succeed.
    try #require(countries.count > 200)
    try #require(subdivisions.count > 5_000)
    try #require(languages.count > 7_000)
  }

  private static func read(
    _ name: String, _ record: (Fields) -> (id: String?, fields: Fields)
  ) throws -> [String: Fields] {
    let folder = ProcessInfo.processInfo.environment["ENTITYCLIENT_ISO_CODES"] ?? "/usr/share/iso-codes/json"
    let data = try Data(contentsOf: URL(fileURLWithPath: folder).appending(path: "iso_\(name).json"))
    let file = try #require(try JSONSerialization.jsonObject(with: data) as? [String: [Fields]])
    var records: [String: Fields] = [:]
    for fields in try #require(file[name]) {
      let (id, fields) = record(fields)
      if let id { records[id] = fields }
    }
    return records
  }

  /// Records as they are sent, by id, so that about half of the subdivisions come before their parents.
  static func records(_ fields: [String: Fields]) -> [JSONObject] {
    fields.sorted { $0.key < $1.key }.map { id, fields in
      JSONObject(fields.mapValues { JSONValue($0) }.merging(["id": JSONValue(id)]) { $1 })
    }
  }
}

/// An object as the source would have it: objects that both have are compared key by key.
protocol ISORecord: KintoRecord {
  var code: String { get }
  var isoFields: [String: String?] { get }
}

extension Country: ISORecord {
  var isoFields: [String: String?] {
    [
      "alpha_2": code, "alpha_3": alpha3, "numeric": numeric, "name": name, "official_name": officialName,
      "common_name": commonName, "flag": flag,
    ]
  }
}

extension Subdivision: ISORecord {
  var isoFields: [String: String?] {
    ["code": code, "name": name, "type": category, "country": country.code, "parent": parent?.code]
  }
}

extension Language: ISORecord {
  var isoFields: [String: String?] {
    [
      "alpha_3": code, "alpha_2": alpha2, "bibliographic": bibliographic, "name": name,
      "inverted_name": invertedName, "common_name": commonName, "scope": scope.rawValue, "type": vitality.rawValue,
    ]
  }
}

extension EntityStore {
  /// The differences from the source: a line for each record, so that a failure says which; none when all are equal.
  func differences<R: ISORecord>(_ type: R.Type, from source: [String: ISOCodes.Fields]) async throws -> [String] {
    try await read { context in
      let objects = try context.fetch(R.all)
      var differences: [String] = []
      var missing = Set(source.keys)
      for object in objects {
        missing.remove(object.code)
        let fields = object.isoFields.compactMapValues { $0 }
        if fields != source[object.code] { differences.append("\(object.code): \(fields)") }
        if object.lastModified == 0 { differences.append("\(object.code) has no timestamp") }
      }
      return differences + missing.sorted().map { "\($0) is missing" }
    }
  }
}
