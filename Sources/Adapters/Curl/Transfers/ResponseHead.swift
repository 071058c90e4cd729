internal import EntityRequests
internal import Foundation

/// Status and header fields of a response.
struct ResponseHead: Sendable {
  let status: Int
  let headers: HTTPHeaders
  /// The announced length of the body as it travels, before decoding.
  let contentLength: Int64?
  let contentCoding: BodyCoding
  /// The codings of the transfer, without those that change nothing.
  let transferCodings: [String]

  /// Whether the body ends where the connection does (RFC 9112 §6.3).
  var endsWithConnection: Bool { contentLength == nil && !transferCodings.contains { $0.contains("chunked") } }

  /// Refuses other codings of the transfer. libcurl would undo them on the engine's thread, and take a body that is cut
  /// off for a whole one.
  ///
  /// - Throws: An error for a coding other than `chunked`: no request asks for one (RFC 9112 §7.4).
  func checkTransferCoding() throws(ResponseHeadParser.Malformed) {
    guard transferCodings.isEmpty || transferCodings == ["chunked"] else {
      throw ResponseHeadParser.Malformed("The body has a transfer coding that was not asked for")
    }
  }
}

extension HTTPHeaders {
  /// The codings of the transfer, in lower case, without those that change nothing.
  fileprivate var transferCodings: [String] {
    let values = values(of: "Transfer-Encoding")
    // Nearly all responses have this one.
    if values == ["chunked"] { return values }
    return values.flatMap { value in
      value.split(separator: ",").map { String($0).trimming { $0 == 0x20 || $0 == 0x09 }.lowercased() }
    }
    .filter { $0 != "identity" && $0 != "" }
  }
}

/// Makes a head from the lines that libcurl hands over one at a time.
///
/// Interim responses (1xx, RFC 9110 §15.2) are passed over: the last block counts. Lines after it are trailer fields
/// (RFC 9112 §7.1.2), which nobody asked for.
struct ResponseHeadParser {
  private(set) var head: ResponseHead?
  private var status = 0
  private var interimResponses = 0
  private var lines: [UInt8] = []
  /// Where the value of Content-Length begins among the lines, and how often the field is there.
  private var length = 0
  private var lengthCount = 0
  private var hasContentCoding = false
  private var hasTransferCoding = false
  /// Whether the last line is a field that says where the body ends.
  private var isFraming = false

  /// Whether a head has begun, or the final head is there. Between two heads the server thinks.
  var isUnderWay: Bool { head != nil || status != 0 }

  /// Takes one line with its line ending; returns whether the head became complete with it.
  mutating func add(_ line: UnsafeRawBufferPointer) throws(Malformed) -> Bool {
    guard head == nil else { return false }
    var end = line.count
    while end > 0, line[end - 1] == UInt8(ascii: "\n") || line[end - 1] == UInt8(ascii: "\r") { end -= 1 }
    guard end > 0 else { return try complete() }
    let line = UnsafeRawBufferPointer(rebasing: line[..<end])
    if line[0] == UInt8(ascii: "H"), line.starts(with: "HTTP/".utf8) {
      guard let status = Self.status(of: line[...]) else { throw Malformed("The status line is malformed") }
      begin(status)
    } else if Self.isBlank(line[0]) {
      // A folded line: obsolete, and to be read as a space (RFC 9112 §5.2).
      guard lines.popLast() != nil else { return false }
      // libcurl reads only the first line of the field.
      guard !isFraming else { throw Malformed("A field that says where the body ends is folded") }
      while let last = lines.last, Self.isBlank(last) { lines.removeLast() }
      lines.append(UInt8(ascii: " "))
      append(UnsafeRawBufferPointer(rebasing: line.drop(while: Self.isBlank)))
    } else if let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0 {
      try note(line, colon)
      append(line)
    }
    return false
  }

  private mutating func append(_ line: UnsafeRawBufferPointer) {
    // A CR within a line is to be read as a space (RFC 9112 §2.2).
    if line.contains(UInt8(ascii: "\r")) {
      lines.append(contentsOf: line.lazy.map { $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 })
    } else {
      lines.append(contentsOf: line)
    }
    lines.append(UInt8(ascii: "\n"))
  }

  private mutating func begin(_ status: Int) {
    self.status = status
    lines = []
    // Room for most heads, and small enough for malloc's own cache.
    lines.reserveCapacity(960)
    lengthCount = 0
    hasContentCoding = false
    hasTransferCoding = false
    isFraming = false
  }

  /// Notes the fields that say where the body ends and how it is coded.
  ///
  /// - Throws: An error when a blank stands before the colon of a field that says where the body ends (RFC 9112 §5.1).
  ///   libcurl passes over such a field, so the body would end elsewhere than the head says.
  private mutating func note(_ line: UnsafeRawBufferPointer, _ colon: Int) throws(Malformed) {
    var count = colon
    while count > 0, Self.isBlank(line[count - 1]) { count -= 1 }
    let name = UnsafeRawBufferPointer(rebasing: line[..<count])
    isFraming = false
    switch count {
    case 14 where Self.isEqual(name, "content-length"):
      isFraming = true
      lengthCount += 1
      length = lines.count + colon + 1
    case 16 where Self.isEqual(name, "content-encoding"): hasContentCoding = true
    case 17 where Self.isEqual(name, "transfer-encoding"):
      isFraming = true
      hasTransferCoding = true
    default: break
    }
    guard !isFraming || count == colon else {
      throw Malformed("A blank stands before the colon of a field that says where the body ends")
    }
  }

  private mutating func complete() throws(Malformed) -> Bool {
    // 101 is final: no upgrade is ever asked for, so nothing follows it.
    guard status >= 200 || status == 101 else {
      status = 0
      interimResponses += 1
      // A server that sends only interim responses would hold the request without end.
      guard interimResponses <= 100 else { throw Malformed("There are more than 100 interim responses") }
      return false
    }
    let length = try contentLength()
    let headers = HTTPHeaders(HeaderLines(lines))
    let codings = hasTransferCoding ? headers.transferCodings : []
    head = ResponseHead(
      status: status, headers: headers,
      // A transfer coding overrides a length (RFC 9112 §6.3).
      contentLength: codings.isEmpty ? length : nil,
      contentCoding: hasContentCoding ? BodyCoding(headers.contentCodings) : .none,
      transferCodings: codings)
    lines = []
    return true
  }

  /// The length of the body. If lengths disagree, one of two readers is deceived about where the message ends (RFC 9112
  /// §6.3). libcurl takes the last length and accepts lengths beyond 63 bits, hence the checks.
  private func contentLength() throws(Malformed) -> Int64? {
    guard lengthCount > 0 else { return nil }
    guard lengthCount == 1 else { throw Malformed("Content-Length is there \(lengthCount) times") }
    let line = lines[length...].prefix { $0 != UInt8(ascii: "\n") }
    var value = line.drop(while: Self.isBlank)
    while let last = value.last, Self.isBlank(last) { value.removeLast() }
    var number: Int64 = 0
    var isNumber = !value.isEmpty
    for byte in value {
      let (tens, isTooLarge) = number.multipliedReportingOverflow(by: 10)
      let (sum, isLarger) = tens.addingReportingOverflow(Int64(byte) - 48)
      isNumber = isNumber && (48...57).contains(byte) && !isTooLarge && !isLarger
      number = sum
    }
    guard isNumber else { throw Malformed("Content-Length is not one number of at most 63 bits") }
    return number
  }

  private static func status(of line: Slice<UnsafeRawBufferPointer>) -> Int? {
    func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") }
    let code = line.drop { !isSpace($0) }.drop(while: isSpace).prefix { !isSpace($0) }
    guard code.count == 3, code.allSatisfy({ (48...57).contains($0) }), code.first != UInt8(ascii: "0") else {
      return nil
    }
    return code.reduce(0) { $0 * 10 + Int($1 - 48) }
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

  /// - Parameter lower: The other name, in lower case.
  private static func isEqual(_ name: UnsafeRawBufferPointer, _ lower: StaticString) -> Bool {
    guard name.count == lower.utf8CodeUnitCount else { return false }
    return lower.withUTF8Buffer { lower in
      lower.indices.allSatisfy { index in
        let byte = name[index]
        return lower[index] == ((65...90).contains(byte) ? byte | 32 : byte)
      }
    }
  }

  struct Malformed: Error {
    let message: String
    init(_ message: String) { self.message = message }
  }
}
