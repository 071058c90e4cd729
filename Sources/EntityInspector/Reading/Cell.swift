import EntityStore

/// A value of a row, with all that a page shows of it.
struct Cell: Encodable {
  /// The place of the cell on its page, which stays when the value changes.
  let key: String
  var text: String
  let kind: ValueText.Kind
  /// Whether the text is the beginning of a longer one.
  var isCut = false
  /// The object that a link leads to.
  var link: ObjectLink?
  /// The local edit of the property.
  var edit: Edit?

  struct Edit: Encodable {
    /// The server's last value; `nil` where it is not known.
    let base: String?
    /// When the property was edited, as a time in UTC; `nil` where it is not known.
    let since: String?
  }
}
