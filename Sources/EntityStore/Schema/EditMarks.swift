import Synchronization

/// The local edits that a row names in its `_edited` column.
struct EditMarks: Hashable, Sendable {
  /// The properties that were edited.
  var known = ColumnMask()
  /// Names that the schema does not have, as the row has them. A newer version of the app, with the same file open,
  /// edited properties that this version does not declare. Mostly `nil`.
  var others: String?
  /// Whether the object was made here, and no answer has shown that the server has it. No property can be named `_new`.
  var isNew = false
  /// Whether the server has a pair in its present state, because the pair was edited here twice: added and taken out,
  /// or taken out and added again. No property can be named `_back`.
  var isBack = false

  static let new = "_new"
  static let back = "_back"

  var isEmpty: Bool { known.isEmpty && others == nil && !isNew }

  /// The names in ``others``.
  var otherNames: [Substring] { others?.split(separator: ",") ?? [] }

  /// Adds the names that the schema does not have.
  mutating func formUnionOfOthers(of marks: EditMarks) {
    guard marks.others != nil else { return }
    let own = otherNames
    others = (own + marks.otherNames.filter { !own.contains($0) }).joined(separator: ",")
  }
}

extension EntityModel {
  /// The marks in the form of the `_edited` column. The column has names because they outlive a change of the schema.
  func names(_ marks: EditMarks) -> StoredValue {
    if !marks.isNew, !marks.isBack, marks.others == nil { return names(marks.known) }
    var names: [String] = marks.isNew ? [EditMarks.new] : []
    if marks.isBack { names.append(EditMarks.back) }
    if case .text(let known) = self.names(marks.known) { names.append(known) }
    if let others = marks.others { names.append(others) }
    return .text(names.joined(separator: ","))
  }

  /// The local edits of the row under the cursor.
  func edited(_ statement: Statement) -> EditMarks {
    if statement.isNull(1) { return EditMarks() }
    // Rows that were edited together have the same names, so the last result mostly fits again.
    return lastEdited.withLock { last in
      if statement.column(1, equals: .text(last.names)) { return last.marks }
      let names = statement.text(1) ?? ""
      last = (names, marks(ofNames: names))
      return last.marks
    }
  }

  /// The local edits that a value of the `_edited` column names.
  func marks(of names: StoredValue) -> EditMarks {
    if case .text(let names) = names { marks(ofNames: names) } else { EditMarks() }
  }

  private func marks(ofNames text: String) -> EditMarks {
    var marks = EditMarks()
    var others: [Substring] = []
    for name in text.split(separator: ",") {
      if let index = index(of: String(name)) {
        marks.known.insert(index)
      } else if name == EditMarks.new {
        marks.isNew = true
      } else if name == EditMarks.back {
        marks.isBack = true
      } else {
        others.append(name)
      }
    }
    if !others.isEmpty { marks.others = others.joined(separator: ",") }
    return marks
  }
}
