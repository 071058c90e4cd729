import EntityMacros
import Testing

@testable import EntityStore

/// The rules by which values change a row, without a file.
@Suite struct RowPlanTests {
  private struct Row: FoundValues {
    var row: RowState
    var values: RowValues

    func value(_ property: Int) -> StoredValue { values[property] }
    func has(_ value: StoredValue, _ property: Int) -> Bool { values[property].isIdentical(to: value) }
    func link(_ property: Int) -> Int64 { values.link(property) }
  }

  private let model: EntityModel

  init() throws {
    model = try SchemaModel([PlannedBook.self, PlannedAuthor.self], keyStyle: .asWritten).entities[0]
  }

  private func column(_ name: String) throws -> Int { try #require(model.index(of: name)) }

  private func columns(_ names: String...) throws -> ColumnMask {
    var mask = ColumnMask()
    for name in names { mask.insert(try column(name)) }
    return mask
  }

  private func values(_ given: [String: StoredValue]) throws -> RowValues {
    var row = RowValues(count: model.properties.count)
    for (name, value) in given { row[try column(name)] = value }
    return row
  }

  private func row(
    edited: ColumnMask = ColumnMask(), isNew: Bool = false, isPlaceholder: Bool = false,
    _ given: [String: StoredValue] = [:]
  ) throws -> Row {
    let all: [String: StoredValue] = [
      "id": .integer(1), "title": .text("Ulysses"), "pages": .integer(700), "author": .integer(5),
    ]
    return try Row(
      row: .init(
        pk: 9, marks: EditMarks(known: edited, isNew: isNew), isPlaceholder: isPlaceholder, uidIsNull: false),
      values: values(all.merging(given) { $1 }))
  }

  private func plan(
    _ row: Row, _ given: [String: StoredValue], _ source: RowSource, _ rules: RowPlan.Rules = .init()
  ) throws -> RowPlan { try RowPlan(model, row, values(given), source, rules) }

  private let answer = RowSource.response(.keepingEdits, newer: ColumnMask())

  @Test func `equal values change nothing`() throws {
    let plan = try plan(row(), ["title": .text("Ulysses"), "pages": .integer(700)], answer)
    #expect(plan.changed.isEmpty)
    #expect(!plan.isWrite)
  }

  @Test func `only columns that differ are written`() throws {
    let plan = try plan(row(), ["title": .text("Ulysses"), "pages": .integer(730)], answer)
    #expect(plan.changed == (try columns("pages")))
    #expect(plan.marks(model, isReturning: false) == EditMarks())
    #expect(plan.bases.isEmpty)
  }

  @Test func `an edit is marked and its base is the value before`() throws {
    let plan = try plan(row(), ["title": .text("Dubliners")], .edit(RowEdit()))
    #expect(plan.marks(model, isReturning: false).known == (try columns("title")))
    #expect(plan.bases == [try column("title"): EditNote(base: .text("Ulysses"))])
  }

  @Test func `a second edit keeps the base of the first`() throws {
    let plan = try plan(row(edited: columns("title")), ["title": .text("Dubliners")], .edit(RowEdit()))
    #expect(plan.bases.isEmpty)
    #expect(plan.marks(model, isReturning: false).known == (try columns("title")))
  }

  @Test func `a column of a response that an object saves is no edit`() throws {
    let plan = try plan(
      row(), ["title": .text("Dubliners"), "pages": .integer(1)],
      .edit(RowEdit(fromResponse: columns("title"))))
    #expect(plan.changed == (try columns("title", "pages", "folded")))
    #expect(plan.marks(model, isReturning: false).known == (try columns("pages")))
  }

  @Test func `an answer leaves an edit, and its value is noted`() throws {
    let edited = try columns("title")
    let plan = try plan(
      row(edited: edited), ["title": .text("Exiles"), "pages": .integer(1)], answer,
      .init(asks: .whereSomeStay))
    #expect(plan.changed == (try columns("pages")))
    #expect(plan.heard.mask == edited)
    #expect(plan.staying?.columns.edited == edited)
    #expect(plan.staying?.mine == [try column("title"): .text("Ulysses")])
    #expect(plan.marks(model, isReturning: false).known == edited)
  }

  @Test func `an answer that overwrites ends the edit also with the same value`() throws {
    let edited = try columns("title")
    let plan = try plan(
      row(edited: edited), ["title": .text("Ulysses")], .response(.overwritingEdits, newer: ColumnMask()))
    #expect(plan.changed.isEmpty)
    #expect(plan.ended == edited)
    #expect(plan.isWrite)
    #expect(plan.marks(model, isReturning: false) == EditMarks())
  }

  @Test func `an older answer writes no column of a newer answer and leaves no note of its value`() throws {
    let title = try columns("title")
    let plan = try plan(
      row(edited: title), ["title": .text("Exiles"), "pages": .integer(1)],
      .response(.keepingEdits, newer: columns("title", "pages")))
    #expect(!plan.isWrite)
    #expect(plan.heard.mask.isEmpty)
  }

  @Test func `a placeholder becomes an object unless only a neighbour names it`() throws {
    let empty = try row(isPlaceholder: true)
    #expect(try plan(empty, ["title": .text("Ulysses")], answer).fills)
    #expect(try !plan(empty, ["title": .text("Ulysses")], answer, .init(fills: false)).fills)
    #expect(try !plan(empty, ["title": .text("Ulysses")], .effect).fills)
  }

  @Test func `an object that was made here is the server's once an answer has it`() throws {
    let mine = try row(isNew: true)
    #expect(try plan(mine, ["title": .text("Ulysses")], answer).marks(model, isReturning: false).isNew == false)
    #expect(try plan(mine, ["title": .text("X")], .edit(RowEdit())).marks(model, isReturning: false).isNew)
    // A list of another object let go of it, which says nothing.
    let cut = try plan(mine, ["author": .null], answer, .init(isShown: false))
    #expect(cut.marks(model, isReturning: false).isNew)
  }

  @Test func `edits of a unit of the server end edits and mark none`() throws {
    let title = try columns("title")
    let plan = try plan(
      row(edited: title), ["title": .text("Exiles"), "pages": .integer(1)], .edit(RowEdit()),
      .init(isOfServer: true))
    #expect(plan.ended == title)
    #expect(plan.marks(model, isReturning: false) == EditMarks())
  }

  @Test func `a required link that goes is missing`() throws {
    let author = try columns("author")
    #expect(try plan(row(), ["author": .null], .effect).missing(model) == author)
    #expect(try plan(row(), ["author": .null], .effect, .init(isComplete: false)).missing(model).isEmpty)
    #expect(try plan(row(), ["author": .integer(6)], .effect).missing(model).isEmpty)
    #expect(try plan(row(isPlaceholder: true), ["title": .text("X")], answer).missing(model) == author)
  }

  @Test func `a changed link is reported with its old target`() throws {
    let plan = try plan(row(), ["author": .integer(6)], answer)
    #expect(plan.links.map(\.old) == [5])
    #expect(plan.links.map(\.index) == [try column("author")])
  }

  @Test func `a derived column follows its sources`() throws {
    let plan = try plan(row(["folded": .text("ulysses")]), ["title": .text("Exiles")], answer)
    #expect(plan.changed == (try columns("title", "folded")))
    #expect(plan.values[try column("folded")].isIdentical(to: .text("exiles")))
  }

  @Test func `a new row gets defaults and derived columns and lacks nothing if it has its links`() throws {
    let given = try values(["id": .integer(3), "title": .text("Exiles"), "author": .integer(5)])
    let plan = InsertionPlan(model, given, edited: ColumnMask())
    #expect(plan.missing.isEmpty)
    #expect(plan.defaults == (try columns("pages")))
    #expect(plan.whole(model)[try column("pages")].isIdentical(to: .integer(1)))
    #expect(plan.values[try column("folded")].isIdentical(to: .text("exiles")))
  }

  @Test func `a new row without a required link lacks the link unless the row is a placeholder`() throws {
    let given = try values(["id": .integer(3)])
    func missing(isPlaceholder: Bool) -> ColumnMask {
      InsertionPlan(model, given, edited: ColumnMask(), isPlaceholder ? .placeholder : []).missing
    }
    #expect(missing(isPlaceholder: false) == (try columns("author")))
    #expect(missing(isPlaceholder: true).isEmpty)
  }
}

@Entity final class PlannedBook {
  @UID var id: Int?
  var title: String
  var pages: Int = 1
  var author: PlannedAuthor
  @Derived var folded: String { title.lowercased() }
}

@Entity final class PlannedAuthor {
  @UID var id: Int?
  var name: String
}
