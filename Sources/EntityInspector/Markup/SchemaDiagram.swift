import EntityStore
import Foundation

/// The entities as boxes on a circle, and an arrow for each relationship.
struct SchemaDiagram {
  private struct Box {
    let name: String
    let x: Int
    let y: Int
  }

  private let boxes: [Box]
  private let arrows: [(from: Int, to: Int, name: String)]
  private let side: Int

  private static let (width, height) = (130, 26)
  /// More boxes than this can't be told apart.
  private static let most = 60

  init(_ schema: StoreFileSchema) {
    let names = schema.entities.prefix(Self.most).map(\.name)
    let radius = max(110, names.count * 24)
    let side = 2 * radius + Self.width + 40
    self.side = side
    boxes = names.enumerated().map { number, name in
      let (x, y) = Self.onCircle(number, of: names.count, radius)
      return Box(name: name, x: side / 2 + x, y: side / 2 + y)
    }
    let places = Dictionary(names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    let links = schema.entities.flatMap { entity in
      entity.properties.compactMap { property in property.target.map { (entity.name, $0, property.name) } }
    }
    let pairs = schema.lists.map { ($0.owner, $0.member, $0.name) }
    arrows = (links + pairs).compactMap { from, to, name in
      guard let from = places[from], let to = places[to] else { return nil }
      return (from, to, name)
    }
  }

  private static func onCircle(_ number: Int, of count: Int, _ radius: Int) -> (Int, Int) {
    let angle = 2 * Double.pi * Double(number) / Double(max(1, count))
    return (Int(sin(angle) * Double(radius)), Int(-cos(angle) * Double(radius)))
  }

  var html: HTML {
    let lines: [HTML] = arrows.map(line)
    let shapes: [HTML] = boxes.map { box in
      """
      <a href="\(PageLink.entity(box.name))"><rect x="\(box.x - Self.width / 2)" y="\(box.y - Self.height / 2)" \
      width="\(Self.width)" height="\(Self.height)" rx="4"/><text x="\(box.x)" y="\(box.y + 4)" \
      text-anchor="middle">\(box.name)</text></a>
      """
    }
    return """
      <svg viewBox="0 0 \(side) \(side)" width="\(side)" role="img" aria-label="The entities and their relationships">\
      <defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">\
      <path d="M0 0L8 4L0 8z"/></marker></defs>\(lines)\(shapes)</svg>
      """
  }

  private func line(_ arrow: (from: Int, to: Int, name: String)) -> HTML {
    let (from, to) = (boxes[arrow.from], boxes[arrow.to])
    guard arrow.from != arrow.to else {
      let (x, y) = (from.x + Self.width / 2, from.y)
      return """
        <path d="M\(x) \(y - 6)c30 -20 30 30 0 14" marker-end="url(#arrow)"><title>\(arrow.name)</title></path>
        """
    }
    let (startX, startY) = Self.edge(of: from, towards: to)
    let (endX, endY) = Self.edge(of: to, towards: from)
    return """
      <path d="M\(startX) \(startY)L\(endX) \(endY)" marker-end="url(#arrow)"><title>\(from.name).\(arrow.name)</title></path>
      """
  }

  /// Where the line between two boxes leaves the first one.
  private static func edge(of box: Box, towards other: Box) -> (Int, Int) {
    let (dx, dy) = (Double(other.x - box.x), Double(other.y - box.y))
    let scale = min(
      dx == 0 ? .infinity : Double(width / 2) / dx.magnitude, dy == 0 ? .infinity : Double(height / 2) / dy.magnitude)
    guard scale.isFinite else { return (box.x, box.y) }
    return (box.x + Int(dx * scale), box.y + Int(dy * scale))
  }
}
