import CRivals

extension Contestant {
  /// - Parameters:
  ///   - reused: whether one parser serves all runs, so that its memory is allocated once.
  ///   - padded: whether the text has simdjson's padding behind it, so that it is not copied first.
  static func simdjson(_ json: [UInt8], reused: Bool, padded: Bool) -> Contestant {
    let text = padded ? json + [UInt8](repeating: 0, count: simdjson_reader_padding()) : json
    let kept = Reader()
    let name = "simdjson, " + (reused ? "reused" : "fresh") + (padded ? ", padded" : "")
    return Contestant(
      name: name,
      run: { try (reused ? kept : Reader()).parse(text, count: json.count, padded: padded) },
      digest: {
        let reader = reused ? kept : Reader()
        try reader.parse(text, count: json.count, padded: padded)
        return try reader.digest()
      })
  }

  private final class Reader {
    private let pointer = simdjson_reader_new()

    deinit { simdjson_reader_free(pointer) }

    func parse(_ text: [UInt8], count: Int, padded: Bool) throws {
      let accepted = text.withUnsafeBufferPointer { buffer in
        buffer.baseAddress.map { simdjson_reader_parse(pointer, $0, count, padded) } ?? false
      }
      guard accepted else { throw ContestError(description: "simdjson refuses the text") }
    }

    func digest() throws -> UInt64 {
      var digest: UInt64 = 0
      guard simdjson_reader_digest(pointer, &digest) else {
        throw ContestError(description: "simdjson can't read its document")
      }
      return digest
    }
  }
}
