/// A property, as the store uses it.
package struct PropertyModel: Sendable {
  package enum Kind: Sendable {
    case attribute(AttributeType, isOptional: Bool)
    /// `inverse` is the index of the target's to-many property, if it has one.
    case toOne(target: Int, inverse: Int?, onDelete: DeleteRule)
    /// `inverse` is the index of the target's to-one property.
    case toMany(target: Int, inverse: Int, onDelete: DeleteRule)
    /// Memberships are rows of another entity, see ``Membership``.
    case manyToMany(Membership, onDelete: DeleteRule)
  }

  /// One side of a many-to-many relationship.
  package struct Membership: Sendable {
    /// The entity of the objects in the list.
    package let target: Int
    /// The entity whose rows are the memberships.
    package let links: Int
    /// The property of a membership that links to the owner of the list. The other property links to the member.
    package let side: Int
    /// The index of the target's list on the other side, if there is one.
    package let inverse: Int?

    package var otherSide: Int { 1 - side }
  }

  package let index: Int
  package let name: String
  /// The key path in a response.
  package let key: String
  package let kind: Kind
  package var isUID: Bool
  package var isUnique: Bool
  let isIndexed: Bool
  package var defaultValue: StoredValue
  var facts = PropertyFacts()
  /// Whether the property leads to embedded objects: objects without uid, which live in the objects that link to them.
  package var leadsToEmbedded = false
  /// The property in the class of the entity. The code for rows does not know it.
  let declaration: any PropertyDeclaration
  /// The order of a to-many relationship.
  package var arrangement = ListArrangement.none
  /// The attribute that sorts the relationship on the other side of a link.
  var sortKey: Int?
  /// The link whose positions this column has, where it is the store's own column for an ordered relationship.
  package var positionOf: Int?
  /// Whether the property is a link whose other side is a ``Counterpart``.
  var isOneToOne = false
  /// Whether the property is the store's own column for a composite uid.
  package var isComposite = false
  /// Whether the property is the store's own column for the names of the properties that no response ever had.
  var isCoverage = false
  /// Whether the property is the store's own column for the time at which a response last had the object.
  var isAge = false

  var isStored: Bool { !isList }

  /// The memberships of a many-to-many relationship; `nil` for any other property.
  package var membership: Membership? {
    if case .manyToMany(let membership, _) = kind { membership } else { nil }
  }

  /// The entity of a relationship's objects; `nil` for an attribute.
  package var target: Int? {
    if case .toOne(let target, _, _) = kind { target } else { list?.target }
  }

  /// How rows hold a to-many relationship: each of the rows links to the owner of the list.
  package struct ListRows: Sendable {
    /// The entity of the members.
    package let target: Int
    /// The entity of the rows: the members themselves, or the memberships.
    package let entity: Int
    /// The link of a row to the owner of the list.
    package let owner: Int
    /// The link of a membership to the member; `nil` where the row is the member.
    package let member: Int?

    /// The members' relationship on the other side, if there is one: the link to the owner, or a list.
    package let inverse: Int?

    /// The entity of the memberships; `nil` where the rows are the members.
    var links: Int? { member == nil ? nil : entity }
  }

  /// The rows of a to-many relationship; `nil` for any other property.
  package var list: ListRows? {
    switch kind {
    case .attribute, .toOne: nil
    case .toMany(let target, let inverse, _):
      ListRows(target: target, entity: target, owner: inverse, member: nil, inverse: inverse)
    case .manyToMany(let membership, _):
      ListRows(
        target: membership.target, entity: membership.links, owner: membership.side, member: membership.otherSide,
        inverse: membership.inverse)
    }
  }

  package var isList: Bool { list != nil }

  /// Whether a request about the owner has the list, at any depth. The other lists follow from the links of their members.
  package var isSentByItself: Bool { isOrdered || leadsToEmbedded || membership != nil }

  /// Whether the property is a many-to-many relationship whose tables have its own name: it names no inverse.
  var hasPairs: Bool { membership?.side == 0 }

  /// The names that the property had in earlier versions of the app.
  var formerNames: [String] { facts.formerNames }

  /// The declared type of the property's column.
  var sqlType: String {
    switch kind {
    case .attribute(let attribute, _): attribute.facts.storage.sql
    case .toOne, .toMany, .manyToMany: "INTEGER"
    }
  }

  /// Whether the property is a to-one relationship that every object has, except a placeholder.
  package var isRequired: Bool { facts.isRequired }

  /// Whether requests have the value of an attribute as `StoredValue.uidText(_:)` says it: the value of an object that is gone
  /// here, or one in a URL, can then be told from the column alone.
  package var isSentAsStored: Bool {
    guard case .attribute(let type, _) = kind else { return false }
    return type.facts.canBeUID && rules?.write == nil
  }

  /// The conversions of an attribute between its row and a server; mostly none.
  package var rules: AttributeRules? { facts.rules }

  /// The value as which the property would be written after it was read from a row with `value`.
  func reading(_ value: StoredValue) -> StoredValue { facts.reading(value) }

  /// The form of the attribute's value; `nil` for a value that the attribute can't have.
  func stored(_ value: StoredValue) -> StoredValue? { facts.stored(value) }
}

/// A property of a class. Only one class, in `Entities`, conforms.
protocol PropertyDeclaration: AnyObject, Sendable {}
