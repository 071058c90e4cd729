import EntityMacros
import Foundation
import Testing

@testable import EntityStore

/// The names of relationships without a column or a table of their own, which a file keeps for those who read it without the
/// classes.
struct ReverseNameTests {
  enum Before {
    @Entity final class Band {
      @UID @Key("id") var uid: Int
      var name: String
      @Relationship(inverse: \Before.Member.band) var members: [Member]
      var tours: [Tour]
    }

    @Entity final class Member {
      @UID @Key("id") var uid: Int
      var band: Band?
    }

    @Entity final class Tour {
      @UID @Key("id") var uid: Int
      @Relationship(inverse: \Before.Band.tours) var bands: [Band]
    }

    static var all: [any ManagedEntity.Type] { [Band.self, Member.self, Tour.self] }
  }

  /// The same columns, with another name of a list.
  enum After {
    @Entity final class Band {
      @UID @Key("id") var uid: Int
      var name: String
      @Relationship(inverse: \After.Member.band) var people: [Member]
      var tours: [Tour]
    }

    @Entity final class Member {
      @UID @Key("id") var uid: Int
      var band: Band?
    }

    @Entity final class Tour {
      @UID @Key("id") var uid: Int
    }

    static var all: [any ManagedEntity.Type] { [Band.self, Member.self, Tour.self] }
  }

  private func names(_ folder: TemporaryFolder) throws -> [String] {
    try StoreFileReader(.file(folder.file)).schema.reverses.map { "\($0.owner).\($0.name) \($0.entity).\($0.property)" }
  }

  @Test func `a file names them, and follows a name without a change of its rows or its generation`() async throws {
    let folder = try TemporaryFolder()
    let before = try EntityStore(.file(folder.file), entities: Before.all)
    try await before.background { try $0.upsert(Before.Band.self, uid: 1).name = "Ann" }
    #expect(try names(folder) == ["Band.members Member.band", "Tour.bands Band.tours"])
    let reader = try StoreFileReader(.file(folder.file))
    let generation = try reader.generation()
    let after = try EntityStore(.file(folder.file), entities: After.all)
    #expect(try names(folder) == ["Band.people Member.band"])
    #expect(try reader.generation() == generation)
    #expect(try await after.read { try $0.fetch(After.Band.all).map(\.name) } == ["Ann"])
  }

  @Test func `an opening with the same names writes nothing`() throws {
    let folder = try TemporaryFolder()
    let first = try EntityStore(.file(folder.file), entities: Before.all)
    let reader = try StoreFileReader(.file(folder.file))
    let version = try reader.dataVersion()
    let second = try EntityStore(.file(folder.file), entities: Before.all)
    #expect(try reader.dataVersion() == version)
    let third = try EntityStore(.file(folder.file), entities: After.all)
    #expect(try reader.dataVersion() != version)
    withExtendedLifetime((first, second, third)) {}
  }

  @Test func `a file whose names can't be written now is opened all the same`() async throws {
    let folder = try TemporaryFolder()
    let before = try EntityStore(.file(folder.file), entities: Before.all)
    try await before.background { try $0.upsert(Before.Band.self, uid: 1).name = "Ann" }
    var options = StoreOptions()
    options.access = .readOnly
    let reading = try EntityStore(.file(folder.file), entities: After.all, options: options)
    #expect(try await reading.read { try $0.count(After.Band.all) } == 1)
    let other = try RawConnection(folder.file.path, vfs: nil)
    try other.run("BEGIN IMMEDIATE")
    let beside = try EntityStore(.file(folder.file), entities: After.all, busyTimeout: .milliseconds(10))
    #expect(try await beside.read { try $0.count(After.Band.all) } == 1)
    #expect(try names(folder).first == "Band.members Member.band")
    try other.run("COMMIT")
  }

  @Test func `a plan of migrations has no line for a name`() throws {
    let folder = try TemporaryFolder()
    let before = try EntityStore(.file(folder.file), entities: Before.all)
    let plan = try EntityStore.migrationPlan(for: .file(folder.file), entities: After.all)
    #expect(plan.changes.isEmpty && plan.error == nil)
    withExtendedLifetime(before) {}
  }
}
