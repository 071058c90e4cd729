import Foundation

/// The header field `Link` (RFC 8288 §3, read as its appendix B.2 does).
enum LinkHeader {
  struct Link: Equatable {
    /// A URL, or a reference relative to the response's.
    let target: String
    /// Relation types, in lower case.
    let relations: [String]
    /// The context of the link, if it is not the response's own URL.
    let anchor: String?

    /// True when the link leads with this relation from the response at `base`. An anchor makes it a link of another
    /// resource (§3.2).
    func has(_ relation: String, base: URL) -> Bool {
      guard relations.contains(relation) else { return false }
      return anchor.map { URL(string: $0, relativeTo: base)?.absoluteString == base.absoluteString } ?? true
    }
  }

  /// The links of one field value. Malformed parts are passed over, and reported by `isWellFormed`.
  static func read(_ value: String) -> (links: [Link], isWellFormed: Bool) {
    var reader = HeaderReader(value)
    var links: [Link] = []
    while true {
      reader.skip { HeaderReader.isBlank($0) || $0 == "," }
      guard let next = reader.next else { return (links, !reader.isMalformed) }
      guard next == "<" else {
        // Skips text that is no link.
        reader.isMalformed = true
        reader.skip { $0 != "," }
        continue
      }
      reader.skip()
      let target = reader.read { $0 != ">" }
      guard reader.next == ">" else { return (links, false) }
      reader.skip()
      let parameters = reader.parameters(takesApostrophes: true)
      // Only the first `rel` and `anchor` count (§3.2, §3.3).
      let relations = parameters.first { $0.name == "rel" }?.value ?? ""
      // A name that no relation can have (§3.3) may be a mistake for another name.
      if relations.unicodeScalars.contains(where: { !$0.isASCII || "'\"<>`".unicodeScalars.contains($0) }) {
        reader.isMalformed = true
      }
      links.append(
        Link(
          target: target.trimmingCharacters(in: [" ", "\t"]),
          relations: relations.lowercased().split { $0 == " " || $0 == "\t" }.map(String.init),
          anchor: parameters.first { $0.name == "anchor" }?.value))
    }
  }
}
