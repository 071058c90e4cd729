import EntityJSON

extension ResponseUpsert {
  /// The place of a piece in its response.
  struct Piece: Sendable {
    /// The position of the object in its list.
    var position = 0
    /// The number of the object's part.
    var part = 0
    /// Whether the whole response has parts.
    let hasParts: Bool
  }

  /// Hands each object of the response to `body` as a response of its own.
  func forEachPiece(_ body: (ResponseUpsert) throws -> Void) throws {
    var piece = self
    piece.parts = []
    piece.missing = .keep
    piece.walk = nil
    piece.deletesMissingFromParts = false
    piece.progress = nil
    piece.list = nil
    piece.piece = Piece(hasParts: hasParts)
    if let value {
      try forEachPiece(of: value, list) { value, position in
        piece.value = value
        piece.piece?.position = position
        try body(piece)
        // The edits are acknowledged once, with the first piece.
        piece.sent = nil
      }
    }
    piece.value = nil
    piece.sent = nil
    piece.target = nil
    for (number, open) in parts.enumerated() {
      guard let value = open.value else { continue }
      piece.piece?.part = number
      try forEachPiece(of: value) { value, position in
        piece.parts = [OpenPart(part: open.part, value: value)]
        piece.piece?.position = position
        try body(piece)
      }
    }
  }

  private func forEachPiece(
    of value: JSONValue, _ list: StreamedList? = nil, _ body: (JSONValue, Int) throws -> Void
  ) throws {
    guard let array = value.array else { return try body(value, 0) }
    var position = list?.first ?? 0
    func hand(_ element: JSONValue) throws {
      try body(element.asOnlyElement, position)
      position += 1
    }
    if let list { try list.elements.forEach(hand) } else { for element in array { try hand(element) } }
  }
}
