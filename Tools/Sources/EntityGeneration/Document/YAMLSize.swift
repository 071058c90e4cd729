// The parser of Yams, which has its events: it is a module of the package, and no product of its own.
import CYaml

/// Measures a YAML document by the events of its parser, before Yams makes values of it. An alias of an alias of an alias can
/// stand for any number of values, and for any depth. Yams compares the values, and lets go of them, by recursion.
///
/// An event is an alias or a value as it is written, so that the time goes by the length of the text.
struct YAMLSize {
  /// The nesting that JSON may have, too.
  private static let deepest = 512

  /// A value that an alias stands for.
  private struct Anchored {
    let values: Int
    /// 0 for a scalar, 1 for a list of scalars.
    let height: Int
  }

  /// An array or an object that has not ended.
  private struct Open {
    let anchor: String?
    /// The values before it.
    let before: Int
    var height = 1
  }

  private let limit: Int
  private var values = 0
  private var open: [Open] = []
  private var anchored: [String: Anchored] = [:]

  /// Does nothing about a mistake of the notation, for which Yams has the words.
  ///
  /// - Throws: ``GenerationError`` for more than `limit` values, or too deep ones, with the aliases written out.
  static func check(_ text: String, of file: String, limit: Int) throws(GenerationError) {
    var text = text
    let problem = text.withUTF8 { bytes -> String? in
      guard let first = bytes.baseAddress, !bytes.isEmpty else { return nil }
      var size = YAMLSize(limit: limit)
      return size.problem(first, bytes.count)
    }
    if let problem { throw GenerationError(file, problem) }
  }

  private init(limit: Int) { self.limit = limit }

  private mutating func problem(_ first: UnsafePointer<UInt8>, _ count: Int) -> String? {
    // The parser has pointers to itself.
    let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
    defer { parser.deallocate() }
    guard yaml_parser_initialize(parser) == 1 else { return nil }
    defer { yaml_parser_delete(parser) }
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, first, count)
    while true {
      var event = yaml_event_t()
      guard yaml_parser_parse(parser, &event) == 1 else { return nil }
      defer { yaml_event_delete(&event) }
      // Yams makes values of the first document alone.
      if event.type == YAML_DOCUMENT_END_EVENT || event.type == YAML_STREAM_END_EVENT { return nil }
      let depth = note(event)
      guard depth <= Self.deepest else {
        let (line, column) = (event.start_mark.line + 1, event.start_mark.column + 1)
        return "Line \(line), column \(column): more than \(Self.deepest) arrays and objects are nested, "
          + "with the aliases written out."
      }
      guard values <= limit else { return "The file has more than \(limit) values, with its aliases written out." }
    }
  }

  /// - Returns: The depth that the values reach with this event.
  private mutating func note(_ event: yaml_event_t) -> Int {
    switch event.type {
    case YAML_ALIAS_EVENT:
      // Yams refuses one that leads to nothing.
      let target = Self.name(event.data.alias.anchor).flatMap { anchored[$0] } ?? Anchored(values: 1, height: 0)
      values += target.values
      return raise(by: target.height)
    case YAML_SCALAR_EVENT:
      values += 1
      if let anchor = Self.name(event.data.scalar.anchor) { anchored[anchor] = Anchored(values: 1, height: 0) }
    case YAML_SEQUENCE_START_EVENT:
      open.append(Open(anchor: Self.name(event.data.sequence_start.anchor), before: values))
      values += 1
    case YAML_MAPPING_START_EVENT:
      open.append(Open(anchor: Self.name(event.data.mapping_start.anchor), before: values))
      values += 1
    case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT:
      guard let ended = open.popLast() else { break }
      if let anchor = ended.anchor {
        anchored[anchor] = Anchored(values: values - ended.before, height: ended.height)
      }
      _ = raise(by: ended.height)
    default: break
    }
    return open.count
  }

  /// Notes that a value of a height stands in the innermost array or object.
  private mutating func raise(by height: Int) -> Int {
    if let last = open.indices.last { open[last].height = max(open[last].height, height + 1) }
    return open.count + height
  }

  private static func name(_ anchor: UnsafeMutablePointer<UInt8>?) -> String? {
    anchor.map { String(cString: UnsafePointer($0)) }
  }
}
