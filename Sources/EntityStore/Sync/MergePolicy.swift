/// Decides which columns of an answer stay as they are, for a local edit or a newer answer, and says why.
///
/// ``SkippedChange/Reason`` lists all reasons, also those for which a row stays as a whole.
/// Rows and objects ask the same value. An answer does not change a column that was edited here and is not
/// acknowledged, unless the request says that it overwrites edits. It never changes a column that a newer answer wrote.
package struct MergePolicy: Sendable, Hashable {
  /// Whether columns stay that were edited here and are not acknowledged.
  package let keepsEdits: Bool

  package init(keepsEdits: Bool) { self.keepsEdits = keepsEdits }

  package static let keepingEdits = MergePolicy(keepsEdits: true)
  package static let overwritingEdits = MergePolicy(keepsEdits: false)

  /// The columns of an answer that stay as they are, by the reason.
  ///
  /// A column with both reasons counts as edited: it would stay without a newer answer too.
  ///
  /// - Parameters:
  ///   - columns: The columns that the answer has.
  ///   - edited: The columns that were edited here and are not acknowledged.
  ///   - newer: The columns that newer answers wrote; `nil` where one of them deleted the object.
  package func staying(
    of columns: ColumnMask, edited: @autoclosure () -> ColumnMask, newer: ColumnMask?
  ) -> Staying {
    let edited = keepsEdits ? columns.intersection(edited()) : ColumnMask()
    let others = columns.subtracting(edited)
    guard let newer else { return Staying(edited: edited, gone: others) }
    return Staying(edited: edited, newer: others.intersection(newer))
  }

  /// Columns that stay as they are, by the reason.
  package struct Staying: Sendable {
    /// Edited here and not acknowledged.
    package var edited: ColumnMask
    /// Written by a newer answer.
    package var newer: ColumnMask
    /// A newer answer deleted the object, or the target of the column.
    package var gone: ColumnMask

    package init(
      edited: ColumnMask = ColumnMask(), newer: ColumnMask = ColumnMask(), gone: ColumnMask = ColumnMask()
    ) {
      self.edited = edited
      self.newer = newer
      self.gone = gone
    }

    package var all: ColumnMask { edited.union(newer).union(gone) }
    package var isEmpty: Bool { all.isEmpty }

    package mutating func formUnion(_ other: Staying) {
      edited.formUnion(other.edited)
      newer.formUnion(other.newer)
      gone.formUnion(other.gone)
    }

    /// The parts of a composite uid stay together: with some parts of another object, the object would be another one.
    mutating func keepUID(_ identity: ColumnMask) {
      if !edited.intersection(identity).isEmpty {
        edited.formUnion(identity)
        newer.subtract(identity)
      } else if !newer.intersection(identity).isEmpty {
        newer.formUnion(identity)
      }
    }

    package mutating func remove(_ columns: ColumnMask) {
      edited.subtract(columns)
      newer.subtract(columns)
      gone.subtract(columns)
    }
  }
}
