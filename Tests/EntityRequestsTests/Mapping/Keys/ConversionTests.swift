import EntityClient
import Foundation
import Testing

@testable import EntityRequests

/// Each type of attribute against each kind of JSON value.
@Suite struct ConversionTests {
  private func stored(_ json: String, _ type: AttributeType) throws -> StoredValue? {
    // In an array, so that any value may stand at the top.
    let array = try JSONValue(parsing: Data("[\(json)]".utf8)).array
    return AttributeConversion.storedValue(try #require(array?.first), type)
  }

  private static let types: [AttributeType] = [
    .bool, .integer(bits: 8, isSigned: true), .integer(bits: 64, isSigned: true), .integer(bits: 64, isSigned: false),
    .double, .string, .data, .date, .uuid,
  ]

  @Test(arguments: types) func `null stays null, and containers are no values`(_ type: AttributeType) throws {
    #expect(try stored("null", type) == .null)
    for json in ["[]", "{}", "[1]", #"{"a": 1}"#] { #expect(try stored(json, type) == nil) }
  }

  @Test(arguments: [
    (AttributeType.bool, "true", StoredValue.integer(1)), (.bool, "false", .integer(0)), (.bool, "1", .integer(1)),
    (.bool, "0", .integer(0)), (.bool, "1.0", .integer(1)), (.bool, #""true""#, .integer(1)),
    (.bool, #""0""#, .integer(0)),
    (.double, "1.5", .real(1.5)), (.double, #""1.5""#, .real(1.5)), (.double, "-0.0", .real(0)),
    (.double, "9007199254740993", .real(9_007_199_254_740_992)),
    (.string, #""a""#, .text("a")), (.string, #""""#, .text("")), (.string, "5", .text("5")),
    (.string, "5.0", .text("5")), (.string, "1.50", .text("1.50")),
    (.string, "18446744073709551615", .text("18446744073709551615")),
    (.string, "123456789012345678901234567890", .text("123456789012345678901234567890")),
    (.data, #""""#, .blob(Data())), (.data, #""AQID""#, .blob(Data([1, 2, 3]))),
    (.data, #""AQ==""#, .blob(Data([1]))), (.data, #""\u0041Q==""#, .blob(Data([1]))),
    (.date, "0", .real(0)), (.date, "-1.5", .real(-1.5)), (.date, #""1970-01-01T00:00:01Z""#, .real(1)),
    (.uuid, #""e621e1f8-c36c-495a-93fc-0c247a3e6e5f""#, .text("E621E1F8-C36C-495A-93FC-0C247A3E6E5F")),
  ]) func `a value that is read is stored`(_ type: AttributeType, _ json: String, _ expected: StoredValue) throws {
    #expect(try stored(json, type) == expected)
  }

  @Test(arguments: [
    (AttributeType.bool, "2"), (.bool, "-1"), (.bool, "0.5"), (.bool, #""yes""#), (.bool, #""""#), (.bool, #""TRUE""#),
    (.double, "true"), (.double, #""""#), (.double, #""x""#), (.double, #""0x1p3""#), (.double, #""nan""#),
    (.double, #""inf""#), (.double, "1e999"), (.double, #"" 1""#),
    (.string, "true"), (.string, "false"),
    (.data, "1"), (.data, "true"), (.data, #""AQ""#), (.data, #""A Q==""#), (.data, #""-_==""#),
    (.date, "true"), (.date, #""""#), (.date, #""yesterday""#), (.date, #""0""#), (.date, "1e999"),
    (.uuid, "1"), (.uuid, "true"), (.uuid, #""""#), (.uuid, #""e621e1f8c36c495a93fc0c247a3e6e5f""#),
    (.uuid, #""{E621E1F8-C36C-495A-93FC-0C247A3E6E5F}""#),
  ]) func `a value of another form is not converted`(_ type: AttributeType, _ json: String) throws {
    #expect(try stored(json, type) == nil)
  }

  @Test(arguments: [8, 16, 32, 64]) func `integers have their range`(_ bits: Int) throws {
    let signed = AttributeType.integer(bits: bits, isSigned: true)
    let unsigned = AttributeType.integer(bits: bits, isSigned: false)
    let largest = Int64.max >> (64 - bits)
    for form in ["\(largest)", "\"\(largest)\"", "\(largest).0"] {
      #expect(try stored(form, signed) == .integer(largest))
    }
    #expect(try stored("\(-largest - 1)", signed) == .integer(-largest - 1))
    #expect(try stored("\(UInt64(largest) + 1)", signed) == nil)
    #expect(try stored("\"\(UInt64(largest) + 1)\"", signed) == nil)
    #expect(try stored("-1", unsigned) == nil)
    #expect(try stored("\"-1\"", unsigned) == nil)
    #expect(try stored("0", unsigned) == .integer(0))
    let most = UInt64.max >> (64 - bits)
    #expect(try stored("\(most)", unsigned) == most.storedValue)
    #expect(try stored("\"\(most)\"", unsigned) == most.storedValue)
    if bits < 64 { #expect(try stored("\(most + 1)", unsigned) == nil) }
    for type in [signed, unsigned] {
      for json in ["1.5", "true", #""""#, #""1.0""#, #"" 1""#, "1e30", "18446744073709551616"] {
        #expect(try stored(json, type) == nil, Comment(rawValue: json))
      }
    }
  }

  @Test func `large unsigned integers are text that sorts`() throws {
    let unsigned = AttributeType.integer(bits: 64, isSigned: false)
    #expect(try stored("9223372036854775807", unsigned) == .integer(.max))
    #expect(try stored("9223372036854775808", unsigned) == .text("09223372036854775808"))
    #expect(try stored("\"18446744073709551615\"", unsigned) == .text("18446744073709551615"))
  }

  @Test func `each value reaches its property and comes back`() async throws {
    let store = try EntityStore(.inMemory, entities: [Specimen.self])
    let json = #"""
      {"id": 18446744073709551615, "flag": "1", "small": "-128", "big": "18446744073709551615", "ratio": "2.5",
       "text": 7, "blob": "AQID", "found_at": "2024-03-01T12:00:00Z",
       "token": "e621e1f8-c36c-495a-93fc-0c247a3e6e5f"}
      """#
    let value = try JSONValue(parsing: Data(json.utf8))
    _ = try await store.receive(Specimen.self, value)
    try await store.read { context in
      let read = try #require(try context.fetch(Specimen.self).first)
      #expect(read.uid == "18446744073709551615")
      #expect(read.flag == true)
      #expect(read.small == -128)
      #expect(read.big == .max)
      #expect(read.ratio == 2.5)
      #expect(read.text == "7")
      #expect(read.blob == Data([1, 2, 3]))
      #expect(read.foundAt == Date(timeIntervalSince1970: 1_709_294_400))
      #expect(read.token?.uuidString == "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
    }
    #expect(try await store.receive(Specimen.self, value).counts.rowsWritten == 0)
  }

  /// Values may be private, and errors end in logs.
  @Test(arguments: [
    #""flag": "hunter2""#, #""small": 77777"#, #""big": "-77777""#, #""ratio": "hunter2""#, #""text": ["hunter2"]"#,
    #""blob": "hunter2!""#, #""found_at": "hunter2""#, #""token": "hunter2""#, #""place": {"city": ["hunter2"]}"#,
  ]) func `errors have no values`(_ field: String) async throws {
    let store = try EntityStore(.inMemory, entities: [Specimen.self])
    let value = try JSONValue(parsing: Data("{\"id\": \"hunter2\", \(field)}".utf8))
    let error = await #expect(throws: MappingError.self) { try await store.receive(Specimen.self, value) }
    let text = "\(error.map { "\($0) \(String(reflecting: $0))" } ?? "")"
    #expect(!text.isEmpty)
    #expect(!text.contains("hunter2"))
    #expect(!text.contains("77777"))
  }

  @Test func `errors about uids and links have no values`() async throws {
    let store = try library()
    for json in [#"{"id": "hunter2"}"#, #"{"id": 1, "chapters": ["hunter2"]}"#, #"{"id": 1, "cover": "hunter2"}"#] {
      let value = try JSONValue(parsing: Data(json.utf8))
      let error = await #expect(throws: MappingError.self) { try await store.receive(Book.self, value) }
      #expect(error.map { String(reflecting: $0).contains("hunter2") || "\($0)".contains("hunter2") } == false)
    }
  }
}
