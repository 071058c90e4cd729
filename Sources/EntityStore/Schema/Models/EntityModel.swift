import Synchronization

/// An entity as the store uses it: its resolved descriptors, and the SQL that follows from them.
package final class EntityModel: Sendable {
  package let name: String
  /// The entity's place among the store's entities.
  package let number: Int
  package let properties: [PropertyModel]
  /// The index of the property that identifies a row on the server.
  package let uid: Int?
  /// The parts of a composite uid; `nil` for any other.
  package let uidParts: UIDParts?
  /// The uid, with its parts where it is composite.
  package let identity: ColumnMask
  private let masks: PropertyMasks
  /// The columns that the store alone sets: derived properties, and those that no property of the class stands for.
  package var hidden: ColumnMask { masks.hidden }
  /// The derived properties, and how each is computed.
  package var derived: ColumnMask { masks.derived }
  let derivations: [DerivedColumn]
  /// The columns without a property of the class: positions, and a composite uid.
  var nameless: ColumnMask { hidden.subtracting(derived) }
  /// All properties that have a column: all but lists.
  package var stored: ColumnMask { masks.stored }
  /// The many-to-many relationships.
  package var lists: ColumnMask { masks.lists }
  /// The to-one relationships.
  package var links: ColumnMask { masks.links }
  /// The to-many relationships to objects without uid.
  var embeddedLists: ColumnMask { masks.embeddedLists }
  /// The columns with the positions of ordered relationships, whose members or memberships the rows are.
  package var positions: ColumnMask { masks.positions }
  /// The columns whose changes alone are no news of their object: a place in a list is news of the object that has the
  /// list, and neither knowledge of a property nor the age of a row changes a value.
  let unreported: ColumnMask
  /// Whether the change of columns is news of the object. A change without columns is one: a local edit ended.
  func isNews(_ mask: ColumnMask) -> Bool { mask.isEmpty || !mask.subtracting(unreported).isEmpty }
  /// The columns that no row has marks of, though they were set here: an ordered list names its edit in the row of the object
  /// that has it, a composite uid is edited in its parts, and a derived property in its sources. A membership has no such column:
  /// its marks tell which pair was moved.
  var unmarked: ColumnMask { isLinks ? ColumnMask() : hidden }
  /// The ordered relationships.
  package var ordered: ColumnMask { masks.ordered }
  /// The attributes by which lists are sorted that the rows are in by their links.
  var sortKeys: ColumnMask { masks.sortKeys }
  /// The relationships with another order than that of the row ids.
  var arranged: ColumnMask { masks.arranged }
  /// The to-one relationships of which no two rows have the same target: they have a ``Counterpart``.
  var oneToOne: ColumnMask { masks.oneToOne }
  /// Whether a row may stand for a uid of which nothing else is known.
  ///
  /// A row without any column but its uid is a whole object: no response could fill it. Lists are no columns: their
  /// members or memberships are rows of their own.
  package let hasPlaceholders: Bool
  /// The column with the names of the properties that no response ever had; `nil` where the entity does not keep them.
  package let coverage: Int?
  /// The properties whose names that column may have: all but the uid, and all but what the store alone sets.
  package let coverable: ColumnMask
  /// The column with the time at which a response last had the object; `nil` where the objects do not expire.
  package let age: Int?
  /// How long the store keeps an object that no response has, in seconds; 0 where the objects do not expire.
  let lifetime: Int64
  /// Whether the rows are memberships of a many-to-many relationship.
  package let isLinks: Bool
  /// The properties with a default that is not NULL.
  package var defaulted: ColumnMask { masks.defaulted }
  /// The attributes whose transformers have one form for several values.
  var normalized: ColumnMask { masks.normalized }
  /// The to-one properties that every row has a value for, but a placeholder's.
  package var required: ColumnMask { masks.required }
  /// Whether a save looks for relationships of the objects that are required and have no object. Both ends of a pair are
  /// there from the beginning.
  var checksLinks: Bool { !isLinks && !required.isEmpty }
  /// The attributes of which no two rows have the same value, the uid among them.
  var unique: ColumnMask { masks.unique }
  /// Those of them that a response may give from one object to another: all but the uid.
  let handedOver: ColumnMask
  /// The indexes over several columns, and over a part of the rows.
  let indexes: [IndexModel]
  /// The indexes whose values are unique together, and their columns.
  let together: [IndexModel]
  let togetherMask: ColumnMask
  /// The attributes that have rules of their own.
  package var ruled: ColumnMask { masks.ruled }
  /// The attributes that are read when their property is.
  package var lazy: ColumnMask { masks.lazy }
  /// The defaults by property, NULL for none.
  let defaults: [StoredValue]
  /// The values of a new object's properties before they are set, where they differ from the neutral value.
  let presets: RowValues
  /// The full-text search; `nil` for none.
  let search: SearchModel?
  /// The to-one properties of any entity that link to rows of this one.
  let incoming: [Incoming]
  /// The functions of the entity that a context calls.
  let callbacks: EntityCallbacks
  /// The names that the entity had in earlier versions of the app.
  let formerNames: [String]
  /// The properties that earlier versions of the app had.
  let removedNames: [String]
  /// The class of the entity. The code for rows does not know it.
  let declaration: any EntityDeclaration
  private let indices: [String: Int]
  let lastEdited = Mutex((names: "", marks: EditMarks()))
  let lastMissing = Mutex((names: "", missing: MissingProperties()))

  struct Incoming: Sendable {
    let entity: Int
    let property: Int
    /// The other end of the memberships, where the property is one end of them; `nil` for a link of objects.
    var otherEnd: MembershipEnd?
  }

  /// The objects at one end of memberships.
  struct MembershipEnd: Sendable {
    let entity: Int
    /// The link of a membership to its object.
    let property: Int
    /// The list by which the objects have their memberships; `nil` where they have none.
    let list: Int?
  }

  let table: String
  /// The name of the table with the pairs that were taken out here, if the rows are memberships; see ``LinkRow``.
  let removedName: String
  let removedTable: String
  /// `_pk, _edited, _placeholder`, and then a result column for each property: NULL for lists and for lazy attributes.
  let columnList: String
  let selectByPK: String
  let selectByUID: String?

  /// The result columns before that of the first property.
  static let resultOffset = 3

  init(
    _ declaration: any EntityDeclaration, number: Int, properties: [PropertyModel], uid: Int? = nil,
    incoming: [Incoming] = [], indexes: [IndexModel] = []
  ) {
    let name = declaration.name
    self.number = number
    self.properties = properties
    self.uid = uid
    self.incoming = incoming
    isLinks = declaration.isLinks
    callbacks = declaration.callbacks
    search = declaration.search(properties)
    formerNames = declaration.formerNames
    removedNames = declaration.removedNames
    self.declaration = declaration
    let table = "main.\(name.quoted)"
    self.name = name
    self.table = table
    removedName = name + ",removed"
    removedTable = "main.\(removedName.quoted)"
    let uidParts = uid.flatMap { uid in
      properties[uid].isComposite ? UIDParts(uid: uid, properties.filter { $0.isUID && !$0.isComposite }) : nil
    }
    self.uidParts = uidParts
    let own = uid.map { ColumnMask($0) } ?? ColumnMask()
    let identity = uidParts.map { $0.mask.union(own) } ?? own
    self.identity = identity
    let masks = PropertyMasks(properties)
    self.masks = masks
    derivations = masks.derived.isEmpty ? [] : properties.compactMap(DerivedColumn.init)
    handedOver = uid.map { masks.unique.subtracting(ColumnMask($0)) } ?? masks.unique
    self.indexes = indexes
    let together = indexes.filter(\.isUnique)
    self.together = together
    togetherMask = together.reduce(ColumnMask()) { $0.union($1.mask) }
    let coverage = properties.first(where: \.isCoverage)?.index
    self.coverage = coverage
    coverable = ColumnMask.all(properties.count).subtracting(identity).subtracting(masks.hidden)
    age = properties.first(where: \.isAge)?.index
    lifetime = declaration.lifetime
    let unreported = properties.reduce(into: masks.positions) { if $1.isCoverage || $1.isAge { $0.insert($1.index) } }
    self.unreported = unreported
    let columns = masks.stored.subtracting(unreported).subtracting(masks.derived)
    hasPlaceholders = uid != nil && columns != identity
    var presets = RowValues(count: properties.count)
    for property in properties where property.facts.isPreset { presets[property.index] = property.defaultValue }
    self.presets = presets
    defaults = properties.map(\.defaultValue)
    indices = Dictionary(properties.map { ($0.name, $0.index) }, uniquingKeysWith: { first, _ in first })
    let columnList =
      (["_pk", "_edited", "_placeholder"]
      + properties.map { $0.isStored && !$0.isLazy ? $0.name.quoted : "NULL" }).joined(separator: ", ")
    self.columnList = columnList
    selectByPK = "SELECT \(columnList) FROM \(table) WHERE _pk = ?"
    selectByUID = uid.map { "SELECT \(columnList) FROM \(table) WHERE \(properties[$0].name.quoted) = ?" }
  }

  /// Whether rows of a response can be written by batch. The entity has no ordered or sorted lists to be in, no composite
  /// uid, no one-to-one links, and no values that are unique together.
  package var goesByBatch: Bool {
    uidParts == nil && positions.isEmpty && sortKeys.isEmpty && oneToOne.isEmpty && together.isEmpty && !isLinks
  }

  /// Whether a row can be written without a look at other rows or at values outside of the row: it ``goesByBatch``, and
  /// has no derived or lazy values.
  package var asksNobody: Bool { goesByBatch && derived.isEmpty && lazy.isEmpty }

  /// The untyped id of a row.
  package func id(_ pk: Int64) -> AnyEntityID { AnyEntityID(entityName: name, pk: pk) }

  package func index(of name: String) -> Int? { indices[name] }

  /// The memberships of an object on one side: row id, and the row id of the object on the other side.
  func selectLinks(_ side: Int, from source: String) -> String {
    "SELECT _pk, \(properties[1 - side].name.quoted) FROM \(source) WHERE \(properties[side].name.quoted) = ? "
      + "ORDER BY \(pairOrder(side, member: 2))"
  }

  /// The column of a list's rows that has the member.
  func memberColumn(_ list: PropertyModel.ListRows) -> String {
    list.member.map { properties[$0].name.quoted } ?? "_pk"
  }

  /// The order in which the memberships on one side are read.
  ///
  /// - Parameter member: The result column with the object on the other side.
  func pairOrder(_ side: Int, member: Int) -> String { position(of: side) == nil ? "\(member)" : linkOrder(side) }

  /// The column with the positions of the ordered relationship on the other side of a link; `nil` where that is not
  /// ordered.
  func position(of link: Int) -> Int? {
    positions.isEmpty ? nil : positions.indices.first { properties[$0].positionOf == link }
  }

  /// The links of a membership to its two objects.
  var ends: ArraySlice<PropertyModel> { properties.prefix(2) }

  package var all: ColumnMask { ColumnMask.all(properties.count) }

  /// The names of the properties in `mask`, in the form of the `_edited` column. The column has names because they
  /// outlive a change of the schema.
  func names(_ mask: ColumnMask) -> StoredValue {
    mask.isEmpty ? .null : .text(mask.indices.map { properties[$0].name }.joined(separator: ","))
  }
}

/// The class of an entity. Only one class, in `Entities`, conforms.
protocol EntityDeclaration: AnyObject, Sendable {
  var name: String { get }
  /// Whether the objects are memberships of a many-to-many relationship.
  var isLinks: Bool { get }
  var callbacks: EntityCallbacks { get }
  var formerNames: [String] { get }
  var removedNames: [String] { get }
  /// How long the store keeps an object that no response has, in seconds; 0 for an entity whose objects do not expire.
  var lifetime: Int64 { get }
  /// The full-text search over the properties; `nil` for none.
  var search: @Sendable ([PropertyModel]) -> SearchModel? { get }
}
