import EntityClient
import HTTPFoundation

/// A box with an embedded label, an ordered list and a list of many-to-many.
@Entity final class Box: OutboxEntity {
  @UID @Key("id") var uid: Int
  var name: String
  var label: Label?
  @Relationship(inverse: \Sheet.box, ordered: true) var sheets: [Sheet]
  @Relationship(inverse: \Mark.boxes) var marks: [Mark]

  static var basePath: String { "boxes" }
}

@Entity final class Label {
  var text: String
  var color: String?
}

@Entity final class Sheet: OutboxEntity {
  @UID @Key("id") var uid: Int
  var text: String
  var box: Box?

  static var basePath: String { "sheets" }
}

@Entity final class Mark: OutboxEntity {
  @UID @Key("id") var uid: Int
  var name: String
  var boxes: [Box]

  static var basePath: String { "marks" }
}

/// A service with requests of its own.
@Entity final class Letter: OutboxEntity {
  @UID @Key("id") var uid: Int
  var text: String

  static var basePath: String { "letters" }
  static var verdict: ResponseVerdict? { .flag("accepted") }
  static var outbox: OutboxRules<Letter> {
    [
      .request(to: .create) { letter, change in
        var request = try Letter.request(.post, "import")
        try request.setJSON(["fields": change.properties.sorted(), "text": letter.text])
        return request
      },
      .verdict { $0.headers["X-Failed"].map { .refused($0) } },
    ]
  }
}

/// Its rule has no uid to name while the text is a draft.
@Entity final class Postcard: OutboxEntity {
  @UID @Key("id") var uid: Int
  var text: String

  static var basePath: String { "postcards" }
  static var outbox: OutboxRules<Postcard> {
    [
      .request(to: .create) { card, _ in
        guard card.text != "draft" else { throw RequestError(.missingUID, "The album of the postcard has no uid yet.") }
        var request = try Postcard.request(.post, "import")
        try request.setJSON(["text": card.text])
        return request
      }
    ]
  }
}

let depotEntities: [any ManagedEntity.Type] = [Box.self, Label.self, Sheet.self, Mark.self, Letter.self]
