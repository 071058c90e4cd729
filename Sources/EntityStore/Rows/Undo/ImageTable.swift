/// The columns of a table as an image has them.
struct ImageTable {
  let model: EntityModel
  let names: [String]
  /// The place of the names of local edits.
  let marks: Int
  private let placeholder: Int
  /// The place of the names of the properties that no response ever had; `nil` where the entity does not keep them.
  let coverage: Int?
  /// The place of the time at which a response last had the object; `nil` where the objects do not expire.
  let age: Int?
  /// The property of each column, where the app declares one.
  let properties: [Int: Int]
  /// The column of each property.
  let places: [Int: Int]
  /// Reads a row with its values, and with NULL for each lazy one.
  let select: String

  init(_ model: EntityModel, _ names: [String]) {
    self.model = model
    self.names = names
    marks = names.firstIndex(of: "_edited") ?? 0
    placeholder = names.firstIndex(of: "_placeholder") ?? 0
    var properties: [Int: Int] = [:]
    var places: [Int: Int] = [:]
    for (place, name) in names.enumerated() {
      guard let index = model.index(of: name), model.properties[index].isStored else { continue }
      properties[place] = index
      places[index] = place
    }
    self.properties = properties
    self.places = places
    coverage = model.coverage.flatMap { places[$0] }
    age = model.age.flatMap { places[$0] }
    let columns = names.enumerated().map { place, name in
      properties[place].map(model.lazy.contains) == true ? "NULL" : "t.\(name.quoted)"
    }
    select = "SELECT \(columns.joined(separator: ", ")) FROM \(model.table) AS t WHERE t._pk = ?"
  }

  /// Whether a column is that of a lazy property.
  func isLazy(_ column: Int) -> Bool { properties[column].map(model.lazy.contains) ?? false }

  /// Whether a column is that of a derived property, which follows from others of its row.
  func isDerived(_ column: Int) -> Bool { properties[column].map(model.derived.contains) ?? false }

  func marks(of values: [StoredValue]) -> EditMarks { model.marks(of: values[marks]) }

  func isPlaceholder(_ values: [StoredValue]) -> Bool { values[placeholder] == .integer(1) }

  /// The values of properties.
  func values(_ values: [StoredValue]) -> RowValues {
    var row = RowValues(count: model.properties.count)
    for (index, place) in places where place < values.count { row[index] = values[place] }
    return row
  }

  func links(_ values: [StoredValue]) -> RowValues {
    var row = self.values(values)
    row.remove(row.mask.subtracting(model.links))
    return row
  }
}
