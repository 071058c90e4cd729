import Foundation
import Testing

@testable import EntityJSON

/// Cells of the values that objects have, and values that are left open.
struct JSONCellReaderTests {
  private struct Row {
    var cells: [JSONCell]
    var isOpen: [Bool]
    let table: CellTable
    let value: JSONValue

    func text(_ column: Int) -> String? {
      table.content(of: cells[column], value.documentBytes).map { String(decoding: $0.bytes, as: UTF8.self) }
    }
  }

  private func read(_ json: String, _ forms: [JSONCellReader.Form], takesNull: Bool = true) throws -> Row? {
    let reader = JSONCellReader(
      forms.enumerated().map { .init("k\($0.offset)", column: $0.offset, form: $0.element, takesNull: takesNull) })
    let value = try JSONValue(parsing: Data(json.utf8))
    let table = CellTable(columns: forms.count)
    let row = table.addRow()
    guard let columns = reader.read(try #require(value.object), into: table, row: row) else { return nil }
    let open = forms.indices.map { columns.open.0 & 1 << UInt64($0) != 0 }
    for column in forms.indices {
      #expect((columns.present.0 & 1 << UInt64(column) != 0) == !table[row, column].isOf(.absent))
    }
    return Row(cells: forms.indices.map { table[row, $0] }, isOpen: open, table: table, value: value)
  }

  private let whole = JSONCellReader.Form.integer(lowest: .min, highest: .max)

  @Test(arguments: [
    ("5", JSONCell(integer: 5)), ("-0", JSONCell(integer: 0)),
    ("-999999999999999999", JSONCell(integer: -999_999_999_999_999_999)),
    ("null", JSONCell(.null)),
  ])
  func `A value becomes a cell of its form`(_ source: String, _ cell: JSONCell) throws {
    #expect(try read("{\"k0\": \(source)}", [whole])?.cells == [cell])
  }

  @Test(arguments: ["5.0", "1e2", "9223372036854775807", "\"5\"", "true", "[]", "{}"])
  func `A value of another form is left open`(_ source: String) throws {
    let row = try #require(try read("{\"k0\": \(source)}", [whole]))
    #expect(row.isOpen == [true])
    #expect(row.value.value(at: row.cells[0].bits) == (try JSONValue(parsing: Data(source.utf8))))
  }

  @Test func `An integer out of its range is left open`() throws {
    let small = JSONCellReader.Form.integer(lowest: -128, highest: 127)
    #expect(
      try read(#"{"k0": 127, "k1": 128, "k2": -128, "k3": -129}"#, [small, small, small, small])?.isOpen == [
        false, true, false, true,
      ])
  }

  @Test func `Reals are those of Double, without a sign of zero`() throws {
    let row = try #require(
      try read(#"{"k0": 0.1, "k1": 5, "k2": -0.0, "k3": 1e400, "k4": "1"}"#, Array(repeating: .double, count: 5)))
    #expect(row.cells[0] == JSONCell(real: 0.1))
    #expect(row.cells[1] == JSONCell(real: 5))
    #expect(row.cells[2].bits == 0)
    #expect(row.isOpen == [false, false, false, true, true])
  }

  @Test func `Texts keep their bytes, with escapes undone`() throws {
    let row = try #require(
      try read(#"{"k0": "", "k1": "a\u0000b\né", "k2": "Zürich 🐚", "k3": 5}"#, Array(repeating: .text, count: 4)))
    #expect((0..<3).map { row.text($0) } == ["", "a\0b\né", "Zürich 🐚"])
    #expect(row.cells[0].isOf(.sourceText) && row.cells[1].isOf(.text))
    #expect(row.isOpen == [false, false, false, true])
  }

  @Test func `A date is that of Date to the bit`() throws {
    let texts = ["2024-05-06T07:08:09Z", "1969-12-31T23:59:59.123456789+01:00", "2024-05-06", "0001-01-01T00:00:00Z"]
    for text in texts {
      let seconds = try #require(JSONValue(parsing: Data("\"\(text)\"".utf8)).secondsOfDate)
      let date = Date(timeIntervalSince1970: seconds)
      #expect(try read("{\"k0\": \"\(text)\"}", [.date])?.cells == [JSONCell(real: date.timeIntervalSince1970)])
    }
    #expect(try read(#"{"k0": "yesterday", "k1": 5}"#, [.date, .date])?.isOpen == [true, true])
  }

  @Test func `Null is left open where it is no value; absent keys have no cell`() throws {
    #expect(try read(#"{"k0": null}"#, [.text], takesNull: false)?.isOpen == [true])
    let row = try #require(try read(#"{"other": 1, "k1": true}"#, [.bool, .bool]))
    #expect(row.cells == [JSONCell(), JSONCell(integer: 1)])
  }

  @Test(arguments: [
    #"{"k0": 1, "k0": 2}"#, #"{"k\u0030": 1}"#,
  ])
  func `An object with a key twice, or with escapes in a key, is not plain`(_ json: String) throws {
    #expect(try read(json, [whole]) == nil)
  }

  @Test func `Keys come in any order, among others of the same length`() throws {
    let row = try #require(try read(#"{"k2": 3, "kx": 9, "k0": 1, "k1": 2}"#, [whole, whole, whole]))
    #expect(row.cells.map(\.bits) == [1, 2, 3])
  }
}
