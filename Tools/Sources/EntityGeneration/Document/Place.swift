import Foundation

/// A value of a document with the way to it, so that a reference in it resolves and a finding can name it.
struct Place {
  let document: Document
  let file: String
  /// The JSON pointer within the file (RFC 6901).
  let pointer: String
  let node: Node

  /// The value under a key. It is not resolved.
  subscript(key: String) -> Place? {
    node[key].map { Place(document: document, file: file, pointer: "\(pointer)/\(Self.escaped(key))", node: $0) }
  }

  /// The entries of an object.
  var entries: [(key: String, place: Place)] {
    (node.object?.pairs ?? []).map { key, value in
      (key, Place(document: document, file: file, pointer: "\(pointer)/\(Self.escaped(key))", node: value))
    }
  }

  /// The elements of an array; none of any other value.
  var elements: [Place] {
    (node.array ?? []).enumerated().map { index, value in
      Place(document: document, file: file, pointer: "\(pointer)/\(index)", node: value)
    }
  }

  /// One of the elements, without a place for each of the others.
  func element(_ index: Int) -> Place? {
    guard let elements = node.array, elements.indices.contains(index) else { return nil }
    return Place(document: document, file: file, pointer: "\(pointer)/\(index)", node: elements[index])
  }

  /// The place for people, and the identity of a schema.
  var name: String { "\(file)#\(pointer)" }

  /// The reference that stands here.
  var reference: String? { node["$ref"]?.string }

  static func escaped(_ key: String) -> String {
    key.contains { $0 == "~" || $0 == "/" }
      ? key.replacing("~", with: "~0").replacing("/", with: "~1") : key
  }
}

extension Place {
  /// The references of a chain. A longer one has no use.
  private static let longestChain = 64

  /// The value that the references here lead to. It is `nil` where they lead nowhere, which is noted.
  var resolved: Place? {
    var place = self
    var seen: Set<String> = []
    while let reference = place.reference {
      guard seen.insert(place.name).inserted else {
        document.findings.note(.broken, name, "The reference leads back to itself, and was left out.")
        return nil
      }
      guard seen.count <= Self.longestChain else {
        document.findings.note(
          .broken, name, "The reference leads on over more than \(Self.longestChain) others, and was left out.")
        return nil
      }
      guard let next = place.target(of: reference) else { return nil }
      place = next
    }
    return place
  }

  /// - Parameter reference: `#/components/schemas/User`, `models/user.yml`, `models/all.yml#/User`.
  private func target(of reference: String) -> Place? {
    let parts = reference.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let named = parts.first ?? ""
    guard !named.contains("://"), !named.hasPrefix("//") else {
      document.findings.note(.broken, name, "'\(reference)' leads to the network, which is never asked.")
      return nil
    }
    let path = named.isEmpty ? file : Self.path(Self.unescaped(named), from: file)
    let root: Node
    do {
      root = try document.files.node(at: path)
    } catch {
      document.findings.note(.broken, name, "'\(reference)' can't be read. \(error.sentence)")
      return nil
    }
    return Place(document: document, file: path, pointer: "", node: root)
      .descended(parts.count > 1 ? parts[1] : "", of: reference, at: self)
  }

  private func descended(_ pointer: String, of reference: String, at origin: Place) -> Place? {
    var place = self
    for part in pointer.split(separator: "/", omittingEmptySubsequences: true) {
      let key = Self.unescaped(String(part)).replacing("~1", with: "/").replacing("~0", with: "~")
      let next = place[key] ?? Int(key).flatMap { place.element($0) }
      guard let next else {
        document.findings.note(.broken, origin.name, "'\(reference)' leads to nothing.")
        return nil
      }
      place = next
    }
    return place
  }

  private static func unescaped(_ text: String) -> String { text.removingPercentEncoding ?? text }

  /// A path relative to the folder of another file.
  static func path(_ path: String, from file: String) -> String {
    var parts = file.split(separator: "/").dropLast().map(String.init)
    for part in path.split(separator: "/") {
      switch part {
      case ".": break
      case ".." where parts.last.map({ $0 != ".." }) ?? false: parts.removeLast()
      default: parts.append(String(part))
      }
    }
    return parts.joined(separator: "/")
  }
}
