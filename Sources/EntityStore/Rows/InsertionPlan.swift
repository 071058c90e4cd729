/// The plan of a new row: the values that it gets from a source. It reads no file, and changes none.
struct InsertionPlan {
  /// The values of the source, and values that follow from them.
  let values: RowValues
  /// The columns that get their defaults, which are neither NULL nor links.
  let defaults: ColumnMask
  /// The required relationships that the row would lack.
  let missing: ColumnMask
  /// The properties that the source marks as edited.
  let edited: ColumnMask
  let isPlaceholder: Bool
  /// Whether the object was made here.
  var isNew = false
  /// The marks of the removal of a pair, which ends.
  var removal = EditMarks()

  /// All columns that the row has a value for.
  var mask: ColumnMask { values.mask.union(defaults) }

  init(_ model: EntityModel, _ given: RowValues, edited: ColumnMask, _ traits: InsertionTraits = []) {
    var values = given
    if !model.derived.isEmpty { model.derive(model.derived, from: given, into: &values) }
    self.values = values
    self.edited = edited
    isPlaceholder = traits.contains(.placeholder)
    defaults = model.defaulted.subtracting(values.mask)
    missing =
      traits.isDisjoint(with: [.placeholder, .incomplete]) && !model.required.isEmpty
      ? model.required.subtracting(values.mask.subtracting(values.nulls)) : ColumnMask()
  }

  /// The properties that are marked in the row.
  var known: ColumnMask { edited.isEmpty ? edited : edited.union(removal.known) }

  var marks: EditMarks {
    EditMarks(known: known, isNew: isNew, isBack: !known.isEmpty && !removal.isEmpty && !removal.isBack)
  }

  /// The values with the defaults.
  func whole(_ model: EntityModel) -> RowValues {
    var row = values
    for index in defaults.indices { row[index] = model.properties[index].defaultValue }
    return row
  }
}
