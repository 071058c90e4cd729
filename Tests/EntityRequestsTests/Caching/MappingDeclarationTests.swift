import EntityClient
import TestSchema
import Testing

@testable import EntityRequests
@testable import EntityStore

/// The declarations of a mapping are in the key of a kept response: a new version of the app asks anew where it would read
/// the response otherwise.
@Suite struct MappingDeclarationTests {
  @Test func `properties have their names, which are the same in each process`() throws {
    let report = Report.mappingDeclarations(try SchemaModel(reportEntities, keyStyle: .snakeCase).model(Report.self))
    #expect(report.contains("revision"))
    #expect(!report.contains("0x"))
    let schema = try SchemaModel([Chore.self, Gardener.self, Cover.self], keyStyle: .snakeCase)
    let chore = Chore.mappingDeclarations(try schema.model(Chore.self))
    let cleared = try Chore.absentKeys.properties.map { property in
      try schema.model(Chore.self).properties[#require(schema.model(Chore.self).index(of: property))].name
    }
    #expect(!cleared.isEmpty)
    #expect(cleared.allSatisfy(chore.contains))
    #expect(!chore.contains("0x"))
  }
}
