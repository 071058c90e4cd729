import EntityJSON
import Foundation

// The edits of a request as JSON, for the entry of the outbox that outlives the process. The keys are the names of
// properties:
//
// {"note":{"value":{"text":"left at the door"}},"customer":{"value":{"integer":12}},"tags":{"edited":[3,4]}}

extension SentEdits {
  /// The edits as JSON. Only the edits of a saved object are whole: a unit of work saves before it makes a request.
  ///
  /// - Parameter former: The values from before the edits, where nothing else will tell them.
  package func stored(_ schema: SchemaModel, former: RowValues? = nil) throws -> String {
    var properties = properties(schema)
    for index in former?.mask.indices ?? ColumnMask().indices {
      guard let value = former?[index] else { continue }
      properties[schema.entities[entity].properties[index].name, default: Property()].former = StoredForm(value)
    }
    return String(decoding: try JSONValueEncoder(format: .sorted).encode(properties), as: UTF8.self)
  }

  /// The values that a text of ``stored(_:former:)`` has: from before the edits, and those of the edits.
  static func values(in text: String?, _ model: EntityModel) -> (former: RowValues, edited: RowValues) {
    var (former, edited) = (RowValues(count: model.properties.count), RowValues(count: model.properties.count))
    let properties = text.flatMap { try? JSONValueDecoder().decode([String: Property].self, from: $0) } ?? [:]
    for (name, property) in properties {
      guard let index = model.index(of: name) else { continue }
      if let value = property.former?.stored {
        // The property may have become required since.
        let isRequired = if case .attribute(_, isOptional: false) = model.properties[index].kind { true } else { false }
        former[index] = value.isNull && isRequired ? model.properties[index].defaultValue : value
      }
      if let value = property.value?.stored { edited[index] = value }
    }
    return (former, edited)
  }

  /// A text of ``stored(_:former:)`` without the values of a property, whose values were converted. An answer that has the
  /// property by its name alone ends no edit of it, and writes nothing.
  ///
  /// - Parameter owner: The entity of the object that the text is about.
  /// - Returns: `nil` for a text that can't be read.
  static func forgetting(_ property: String, of entity: String, in text: String, of owner: String) throws -> String? {
    guard let properties = try? JSONValueDecoder().decode([String: Property].self, from: text) else { return nil }
    let left = forgetting(property, of: entity, in: properties, of: owner)
    return String(decoding: try JSONValueEncoder(format: .sorted).encode(left), as: UTF8.self)
  }

  private static func forgetting(
    _ name: String, of entity: String, in properties: [String: Property], of owner: String
  ) -> [String: Property] {
    var left = properties
    if owner == entity {
      left[name]?.value = nil
      left[name]?.former = nil
    }
    func rows(_ rows: [Row]) -> [Row] {
      rows.map {
        Row(entity: $0.entity, row: $0.row, sent: forgetting(name, of: entity, in: $0.sent, of: $0.entity))
      }
    }
    for (key, property) in properties {
      left[key]?.embedded = property.embedded.map(rows)
      left[key]?.removed = property.removed.map(rows)
    }
    return left
  }

  /// The edits that an entry of the outbox has.
  ///
  /// - Parameter editedSince: The properties that were edited since the request was made.
  /// - Returns: `nil` for a text that can't be read. A property that the app does not declare any more is left out.
  package init?(
    stored text: String, _ model: EntityModel, pk: Int64, _ schema: SchemaModel, endsInsertion: Bool,
    editedSince: ColumnMask
  ) {
    guard let properties = try? JSONValueDecoder().decode([String: Property].self, from: text) else { return nil }
    let marker = Marker()
    self.init(properties, model, pk: pk, schema, endsInsertion: endsInsertion, marker)
    marker.carry(
      values, lists.merging(otherLists) { edited, _ in edited },
      ordered: orders.keys.reduce(into: ColumnMask()) { $0.insert($1) }, from: nil)
    marker.noteEdited(editedSince)
  }

  private init(
    _ properties: [String: Property], _ model: EntityModel, pk: Int64, _ schema: SchemaModel, endsInsertion: Bool,
    _ marker: Marker
  ) {
    entity = model.number
    self.pk = pk
    isUnsaved = false
    values = RowValues(count: model.properties.count)
    required = RowValues(count: model.properties.count)
    (lists, otherLists, listsBefore, orders, embedded) = ([:], [:], [:], [:], [])
    before = RowValues(count: model.properties.count)
    unsavedOrders = ColumnMask()
    self.endsInsertion = endsInsertion
    self.marker = marker
    for (name, property) in properties {
      guard let index = model.index(of: name) else { continue }
      if let value = property.value?.stored { values[index] = value } else { forgotten.insert(index) }
      if let members = property.edited { lists[index] = Set(members) }
      if let members = property.members { otherLists[index] = Set(members) }
      if let order = property.order { orders[index] = order }
      if let rows = property.embedded {
        func edits(_ row: Row) -> SentEdits? {
          schema.entity(ofTable: row.entity).map {
            SentEdits(row.sent, $0, pk: row.row, schema, endsInsertion: false, Marker(in: marker))
          }
        }
        embedded.append(
          Embedded(
            property: index, members: rows.compactMap(edits), removed: (property.removed ?? []).compactMap(edits)))
      }
    }
  }

  private func properties(_ schema: SchemaModel) -> [String: Property] {
    let model = schema.entities[entity]
    var properties: [String: Property] = [:]
    func set(_ index: Int, _ change: (inout Property) -> Void) {
      change(&properties[model.properties[index].name, default: Property()])
    }
    for index in values.mask.indices { set(index) { $0.value = StoredForm(values[index]) } }
    for (list, members) in lists { set(list) { $0.edited = members.sorted() } }
    for (list, members) in otherLists { set(list) { $0.members = members.sorted() } }
    for (list, members) in orders { set(list) { $0.order = members } }
    for group in embedded {
      func row(_ edits: SentEdits) -> Row {
        Row(entity: schema.entities[edits.entity].name, row: edits.pk, sent: edits.properties(schema))
      }
      set(group.property) {
        $0.embedded = group.members.map(row)
        if !group.removed.isEmpty { $0.removed = group.removed.map(row) }
      }
    }
    return properties
  }

  /// One property as it was sent.
  private struct Property: Codable {
    var value: StoredForm?
    /// The value from before the edit.
    var former: StoredForm?
    /// The members of an edited list of many-to-many.
    var edited: [Int64]?
    /// The members of another list of many-to-many.
    var members: [Int64]?
    /// The members of an ordered list, in their order.
    var order: [Int64]?
    var embedded: [Row]?
    var removed: [Row]?
  }

  /// An embedded object as it was sent.
  private struct Row: Codable {
    var entity: String
    var row: Int64
    var sent: [String: Property]
  }
}

/// A stored value in JSON, with its storage class: 5.0 must not come back as 5.
struct StoredForm: Codable {
  var integer: Int64?
  var real: Double?
  var text: String?
  var blob: Data?

  init(_ value: StoredValue) {
    switch value {
    case .null: break
    case .integer(let value): integer = value
    // JSON has no infinity.
    case .real(let value) where value.isInfinite: text = value < 0 ? "-inf" : "inf"
    case .real(let value): real = value
    case .text(let value): text = value
    case .blob(let value): blob = value
    }
    isInfinite = if case .real(let value) = value, value.isInfinite { true } else { nil }
  }

  /// Whether the text stands for an infinite number.
  var isInfinite: Bool?

  var stored: StoredValue {
    if let integer { return .integer(integer) }
    if let real { return .real(real) }
    if let text { return isInfinite == true ? .real(text == "-inf" ? -.infinity : .infinity) : .text(text) }
    if let blob { return .blob(blob) }
    return .null
  }
}
