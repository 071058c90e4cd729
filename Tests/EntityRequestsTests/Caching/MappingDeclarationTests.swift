import EntityClient
import TestSchema
import Testing

@testable import EntityRequests
@testable import EntityStore

@Entity final class Bulb: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String
  @Key("planted_on") var plantedOn: String?
  var depth: Int = 3

  static var basePath: String { "bulbs" }
  static var absentKeys: AbsentKeys<Bulb> { .clear(\.plantedOn, \.depth) }
}

/// The declarations of a mapping are in the key of a kept response: a new version of the app asks anew where it would read
/// the response otherwise.
@Suite struct MappingDeclarationTests {
  @Test func `properties have their names, which are the same in each process`() throws {
    let report = Report.mappingDeclarations(try SchemaModel(reportEntities, keyStyle: .snakeCase).model(Report.self))
    #expect(report.contains("revision"))
    #expect(!report.contains("0x"))
    let schema = try SchemaModel([Bulb.self], keyStyle: .snakeCase)
    let bulb = Bulb.mappingDeclarations(try schema.model(Bulb.self))
    let cleared = try Bulb.absentKeys.properties.map { property in
      try schema.model(Bulb.self).properties[#require(schema.model(Bulb.self).index(of: property))].name
    }
    #expect(!cleared.isEmpty)
    #expect(cleared.allSatisfy(bulb.contains))
    #expect(!bulb.contains("0x"))
  }
}
