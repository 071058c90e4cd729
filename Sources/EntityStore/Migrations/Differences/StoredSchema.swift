import EntityJSON

/// The schema as the file keeps it. It is compared with the declared schema when the store is opened again.
struct StoredSchema: Codable, Equatable {
  var entities: [StoredEntity]
  /// The entities that the app removed, whose tables the file keeps; `nil` for none.
  var removed: [RemovedEntity]?

  init(_ schema: SchemaModel) {
    let renamed = Renames.circles(schema.entities.map { ($0.name, $0.formerNames) })
    entities = schema.entities.map { entity in
      let circles = Renames.circles(entity.properties.map { ($0.name, $0.formerNames) })
      var stored = StoredEntity(
        name: entity.name,
        properties: entity.properties.compactMap { property in
          let type: String
          let isOptional: Bool
          switch property.kind {
          case .attribute(let attribute, let optional): (type, isOptional) = (attribute.facts.name, optional)
          case .toOne(let target, _, _):
            (type, isOptional) = (StoredProperty.link(to: schema.entities[target].name), !property.isRequired)
          case .toMany, .manyToMany: return nil
          }
          return StoredProperty(
            name: property.name, type: type, isOptional: isOptional || property.isUID, isUID: property.isUID,
            isUnique: property.isUnique, isIndexed: property.isIndexed, renamedFrom: circles[property.name],
            isOneToOne: property.isOneToOne ? true : nil, derivation: property.facts.derivation?.version)
        })
      let reverse = StoredReverse.all(of: entity, schema)
      stored.renamedFrom = renamed[entity.name]
      stored.settled = entity.settledNames.isEmpty ? nil : entity.settledNames
      stored.uid = entity.uidParts?.parts.map(\.name)
      stored.indexes = entity.indexes.isEmpty ? nil : entity.indexes.map(StoredIndex.init)
      stored.covered = entity.coverage == nil ? nil : entity.coverable.indices.map { entity.properties[$0].name }
      stored.reverse = reverse.isEmpty ? nil : reverse
      return stored
    }
  }

  /// The entities that the app declares: all but pairs.
  var declared: [StoredEntity] { entities.filter { !$0.isLinks } }

  subscript(name: String) -> StoredEntity? { entities.first { $0.name == name } }

  func index(_ name: String) -> Int? { entities.firstIndex { $0.name == name } }

  /// The many-to-many relationships whose tables have the name of an entity.
  func lists(of entity: String) -> [StoredEntity] { entities.filter { $0.owner == entity } }

  func encoded() throws -> String {
    String(decoding: try JSONValueEncoder(format: .sorted).bytes(of: self), as: UTF8.self)
  }

  static func decode(_ text: String) throws -> StoredSchema {
    try JSONValueDecoder().decode(StoredSchema.self, from: text)
  }

  /// A short text that is the same for the same entities and properties, in whatever order.
  ///
  /// It is FNV-1a with 64 bits (http://www.isthe.com/chongo/tech/comp/fnv/). It tells versions of one app from each
  /// other. It does not protect against tampering.
  var fingerprint: String {
    let lines = entities.flatMap { entity in
      ["\(entity.name)|\(entity.renamedFrom ?? "")\(entity.uid.map { "|\($0.joined(separator: ","))" } ?? "")"]
        + entity.properties.map { "\(entity.name)|\($0.fingerprint)" }
        + (entity.indexes ?? []).map { "\(entity.name)||\($0.isTogether)|\($0.columns)|\($0.condition ?? "")" }
    }
    return Self.fingerprint(of: lines)
  }

  static func fingerprint(of lines: [String]) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in lines.sorted().joined(separator: "\n").utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

/// An entity as the file keeps it.
struct StoredEntity: Codable, Equatable {
  var name: String
  var properties: [StoredProperty]
  /// The properties that the app removed, whose columns the file keeps; `nil` for none.
  var removed: [RemovedProperty]?
  /// The name before names changed hands in a circle; mostly `nil`.
  var renamedFrom: String?
  /// The lists without a column whose names in the marks of rows were changed or removed: `old>new`, or `old`.
  var settled: [String]?
  /// The parts of a composite uid, in their order; `nil` mostly.
  var uid: [String]?
  /// The indexes over several columns, and over a part of the rows; `nil` for none. A process with an older version of
  /// the package, which had the file open before the indexes came, ignores them.
  var indexes: [StoredIndex]?
  /// The properties whose names the rows have where no response had them; `nil` where the entity does not track its
  /// coverage.
  var covered: [String]?
  /// The relationships that have neither a column nor a table: for those who read the file without the classes. `nil` for none.
  var reverse: [StoredReverse]?

  init(name: String, properties: [StoredProperty] = []) { (self.name, self.properties) = (name, properties) }

  subscript(name: String) -> StoredProperty? { properties.first { $0.name == name } }

  func index(_ name: String) -> Int? { properties.firstIndex { $0.name == name } }

  /// Whether its rows are memberships of a many-to-many relationship, see ``LinkRow``.
  var isLinks: Bool { name.contains(",") }
  /// The entity that owns the list of these memberships.
  var owner: String? { name.firstIndex(of: ",").map { String(name[..<$0]) } }
  /// The list of these memberships.
  var list: String? { name.firstIndex(of: ",").map { String(name[name.index(after: $0)...]) } }
  /// The list or the entity, as messages name it.
  var label: String { "'\(name.replacing(",", with: "."))'" }

  /// The links of a membership to its two objects.
  var ends: ArraySlice<StoredProperty> { properties.prefix(2) }

  var table: String { "main.\(name.quoted)" }
  var removedName: String { "\(name),removed" }
}

/// A column as the file keeps it.
struct StoredProperty: Codable, Equatable {
  var name: String
  /// The type of an attribute, or `-> Entity`.
  var type: String
  var isOptional: Bool
  var isUID: Bool
  var isUnique: Bool
  var isIndexed: Bool
  /// The name before names changed hands in a circle; mostly `nil`.
  var renamedFrom: String?
  /// Whether no two rows have the same target; `nil` for no.
  var isOneToOne: Bool?
  /// The version of the function that made the values of a derived property; `nil` for any other property.
  var derivation: String?

  /// The property's part of the schema's fingerprint.
  fileprivate var fingerprint: String {
    let marks = "\(isOptional)|\(isUID)|\(isUnique)|\(isIndexed)"
    return "\(name)|\(type)|\(marks)|\(renamedFrom ?? "")\(isOneToOne == true ? "|1" : "")"
      + (derivation.map { "|=\($0)" } ?? "")
  }

  static func link(to entity: String) -> String { "-> \(entity)" }

  /// The entity that a to-one relationship refers to.
  var target: String? { Self.target(type) }

  static func target(_ type: String) -> String? { type.hasPrefix("-> ") ? String(type.dropFirst(3)) : nil }

  var sqlType: String { Self.sqlType(type) }

  static func sqlType(_ type: String) -> String { AttributeType(name: type)?.facts.storage.sql ?? "INTEGER" }

  /// Whether the column refuses NULL. A placeholder has no required link yet, and a new object no uid.
  var isNotNull: Bool { !isOptional && !isUID && target == nil }

  var hasIndex: Bool { isUnique || isIndexed }

  /// Whether the column has the positions of a list that is ordered, or was.
  var isPosition: Bool { name.hasPrefix(PropertyModel.positionName(of: "")) }
}

/// A property that the app removed. Its column has no constraint and no index.
struct RemovedProperty: Codable, Equatable {
  var name: String
  var type: String
  let column: String
  /// The column that is 1 in the rows where the property had a local edit; `nil` where no row had one.
  var marks: String?
}

/// An entity that the app removed. Its table refers to no other table, has no index, and is named `table`.
struct RemovedEntity: Codable, Equatable {
  var entity: StoredEntity
  let table: String

  /// The table of the pairs that were taken out, if the rows are memberships.
  var removedTable: String { "\(table),removed" }
}
