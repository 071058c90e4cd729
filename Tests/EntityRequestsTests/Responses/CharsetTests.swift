import EntityClient
import EntityTesting
import Foundation
import Testing

/// Bodies in other charsets, by the label of their content type.
@Suite(.client(entities: [Sign.self])) struct CharsetTests {
  /// A text, and its bytes in a charset.
  private static func body(_ words: String, _ encoding: String.Encoding, mark: [UInt8] = []) -> Data {
    let text = #"[{"id": 1, "words": "\#(words)"}, {"id": 2, "words": "plain"}]"#
    return Data(mark) + (text.data(using: encoding) ?? Data())
  }

  private static let gb18030 = String.Encoding(rawValue: 0x8000_0632)

  static let cases: [(label: String, body: Data, words: String)] = [
    ("iso-8859-1", body("Grüße", .isoLatin1), "Grüße"), ("ISO-8859-1", body("Grüße", .isoLatin1), "Grüße"),
    ("\"latin1\"", body("é", .isoLatin1), "é"),
    ("windows-1252", body("“5 €”", .windowsCP1252), "“5 €”"), ("iso-8859-2", body("žluť", .isoLatin2), "žluť"),
    ("windows-1251", body("Привет", .windowsCP1251), "Привет"),
    ("utf-16", body("Grüße 🎈", .utf16BigEndian), "Grüße 🎈"), ("utf-16", body("Grüße 🎈", .utf16LittleEndian), "Grüße 🎈"),
    ("UTF-16LE", body("日本 🎈", .utf16LittleEndian), "日本 🎈"), ("utf-16be", body("日本", .utf16BigEndian), "日本"),
    ("utf-16", body("日本 🎈", .utf16BigEndian, mark: [0xFE, 0xFF]), "日本 🎈"),
    ("utf-16", body("日本", .utf16LittleEndian, mark: [0xFF, 0xFE]), "日本"),
    // A mark says more than a label.
    ("utf-8", body("日本", .utf16LittleEndian, mark: [0xFF, 0xFE]), "日本"),
    ("shift_jis", body("日本ソ", .shiftJIS), "日本ソ"), ("gbk", body("中文", gb18030), "中文"),
    ("utf8", body("Grüße", .utf8), "Grüße"), ("us-ascii", body("Grüße", .utf8), "Grüße"),
    // Nobody knows the label, and the text is UTF-8, as JSON is.
    ("utf8mb4", body("Grüße", .utf8), "Grüße"),
  ]

  @Test(arguments: cases)
  func `a body is read in the charset of its label`(_ label: String, _ body: Data, _ words: String) async throws {
    let headers: HTTPHeaders = ["Content-Type": "application/json; charset=\(label)"]
    let response = HTTPResponse(status: 200, headers: headers, body: body)
    for rowsWritten in [2, 0] { #expect(try await Sign.upsert(from: response).counts.rowsWritten == rowsWritten) }
    #expect(try await Client.current.store.read { try $0.fetch(Sign.self, uid: 1)?.words } == words)
  }

  @Test(arguments: ["odata.metadata=minimal", " profile=\"https://example.com/a;charset\"", " version=1; q"])
  func `a content type with other parameters alone is of UTF-8`(_ parameters: String) async throws {
    let type = "application/json;\(parameters)"
    let body = Self.body("Grüße", .utf8)
    let response = HTTPResponse(status: 200, headers: ["Content-Type": "\(type)"], body: body)
    #expect(try await Sign.upsert(from: response).counts.inserted == 2)
    try StubAdapter.current.on(.get, "/signs", .data(body, contentType: type).chunked(5))
    #expect(try await Sign.get(streaming: .groups(of: 1)).counts.unchanged == 2)
    #expect(try await Client.current.store.read { try $0.fetch(Sign.self, uid: 1)?.words } == "Grüße")
  }

  @Test(arguments: cases)
  func `a streamed list may be cut within each character`(_ label: String, _ body: Data, _ words: String) async throws {
    let type = "application/json; charset=\(label)"
    for pieces in [body.count, 2, 3, 7, 11] {
      try StubAdapter.current.on(.get, "/signs", .data(body, contentType: type).chunked(pieces))
      let response = try await Sign.get(streaming: .groups(of: 1))
      #expect(response.counts.inserted + response.counts.unchanged == 2)
      #expect(try await Client.current.store.read { try $0.fetch(Sign.self, uid: 1)?.words } == words)
    }
    try StubAdapter.current.on(.get, "/signs", .data(body, contentType: type).chunked(5))
    #expect(try await Sign.get(streaming: .atomically).counts.unchanged == 2)
  }

  @Test(arguments: [
    ("utf-16le", [UInt8]([0x5B, 0, 0x22, 0, 0, 0xD8, 0x22, 0, 0x5D, 0]), "in the charset 'utf-16le'"),
    ("utf-16", [0x5B, 0, 0x5D], "from byte 2 on it is no text in the charset 'utf-16'"),
    ("shift_jis", [0x5B, 0x22, 0x93, 0x22], "in the charset 'shift_jis'"),
    // Latin-9 in disguise: no UTF-8, and a label that nobody knows.
    ("x-own", [0x5B, 0x22, 0xA4, 0x22, 0x5D], "'application/json; charset=x-own'"),
  ])
  func `bytes that are no text of the charset are an error, and the old data stays`(
    _ label: String, _ bytes: [UInt8], _ words: String
  ) async throws {
    try await Sign.upsert(from: ["id": 1, "words": "old"])
    let type = "application/json; charset=\(label)"
    try StubAdapter.current.on(.get, "/signs", .data(Data(bytes), contentType: type).chunked(bytes.count))
    let errors = [
      try await requestError { try await Sign.get() },
      try await requestError { try await Sign.get(streaming: .groups()) },
    ]
    for error in errors {
      #expect(error.kind == .parsing)
      #expect(error.description.contains("'application/json; charset=\(label)'"), "\(error)")
      #expect(error.description.contains(words), "\(error)")
    }
    #expect(try await Client.current.store.read { try $0.fetch(Sign.self, uid: 1)?.words } == "old")
  }

  @Test func `a value and an error model are read by the label too`() async throws {
    let type = "text/json; charset=iso-8859-1"
    try StubAdapter.current.on(
      .get, "/names", .data(Data([0x22, 0xE9, 0x22]), contentType: type),
      .data(Data([0x22, 0xE8, 0x22]), status: 400, contentType: type))
    let client = try Client.current
    #expect(try await client.get("names", as: String.self).value == "é")
    let error = try await requestError { _ = try await client.get("names", as: String.self) }
    #expect(try error.meta(String.self) == "è")
  }

  @Test func `every byte of a charset with one byte a character is a character`() async throws {
    // Byte 0x81 has no character in Windows-1252; the standard reads it as the control with its number.
    let bytes = Data([0x5B, 0x7B] + Array(#""id":1,"words":""#.utf8) + [0x81, 0x80, 0x22, 0x7D, 0x5D])
    let headers: HTTPHeaders = ["Content-Type": "application/json; charset=windows-1252"]
    try await Sign.upsert(from: HTTPResponse(status: 200, headers: headers, body: bytes))
    #expect(try await Client.current.store.read { try $0.fetch(Sign.self, uid: 1)?.words } == "\u{81}€")
  }
}

@Entity final class Sign: RemoteEntity {
  @UID @Key("id") var uid: Int
  var words: String?

  static var basePath: String { "signs" }
}
