/// The order of a plan's lines: each edge says that a line comes after another one, and why.
struct PlanGraph {
  enum Kind {
    /// Both lines are of one object.
    case sameObject
    /// The later line names an object that the earlier one creates, and can't be without the link.
    case requiredLink
    /// The later line names an object that the earlier one creates, and can be sent without the link.
    case optionalLink
    /// The later line deletes an object that the object of the earlier line is or was linked to, or is a part of.
    case deletion
    /// The later line is sent once nothing refers to its object.
    case last

    /// Whether the later line can't be sent before the earlier one, whatever is left out.
    var isHard: Bool { self == .sameObject || self == .requiredLink }
  }

  struct Edge {
    /// The earlier line and the later one.
    let before, after: Int
    let kind: Kind
    /// The index of the property that has the link; -1 for none.
    var property = -1
  }

  private let earlier: Index
  private let edges: [Edge]

  init(_ count: Int, _ edges: [Edge]) {
    earlier = Index(count, edges) { $0.after }
    self.edges = earlier.order.map { edges[$0] }
  }

  /// The places of the edges to a line.
  func places(before line: Int) -> Range<Int> { earlier.places(line) }

  subscript(place: Int) -> Edge { edges[place] }

  /// The edges to a line.
  func before(_ line: Int) -> ArraySlice<Edge> { edges[earlier.places(line)] }

  /// The edges from each line, which only cycles need.
  func reversed() -> Reversed { Reversed(earlier.count, edges) }

  struct Reversed {
    private let later: Index
    private let edges: [Edge]

    init(_ count: Int, _ edges: [Edge]) {
      later = Index(count, edges) { $0.before }
      self.edges = edges
    }

    /// The edges from a line.
    func after(_ line: Int) -> some Sequence<Edge> { later.order[later.places(line)].lazy.map { edges[$0] } }
  }

  /// Edges by one of their lines, sorted by counting: in time that grows with the edges alone.
  fileprivate struct Index {
    private let starts: [Int]
    let order: [Int]

    var count: Int { starts.count - 1 }

    @inline(__always) init(_ count: Int, _ edges: [Edge], by line: (Edge) -> Int) {
      var starts = [Int](repeating: 0, count: count + 1)
      for edge in edges { starts[line(edge) + 1] += 1 }
      for index in 0..<count { starts[index + 1] += starts[index] }
      var places = starts
      var order = [Int](repeating: 0, count: edges.count)
      for index in edges.indices {
        let line = line(edges[index])
        order[places[line]] = index
        places[line] += 1
      }
      (self.starts, self.order) = (starts, order)
    }

    func places(_ line: Int) -> Range<Int> { starts[line]..<starts[line + 1] }
  }
}

/// Finds the strongly connected components of a graph: the lines that wait for one another (Tarjan, "Depth-first search
/// and linear graph algorithms", 1972). It keeps its own stack, so that no chain of links is too long for it.
struct ComponentSearch {
  private var number: [Int]
  private var low: [Int]
  private var isOpen: [Bool]
  private var open: [Int] = []
  private var path: [(line: Int, edge: Int)] = []
  private var count = 0

  init(_ lines: Int) {
    number = Array(repeating: 0, count: lines)
    low = number
    isOpen = Array(repeating: false, count: lines)
  }

  /// Gives each component that a line waits for, and at last that of the line itself. A component comes after all that
  /// it waits for. A line that was found before is passed over.
  mutating func search(
    from line: Int, in graph: PlanGraph, where counts: (PlanGraph.Edge) -> Bool, found: ([Int]) -> Void
  ) {
    guard number[line] == 0 else { return }
    enter(line, graph)
    while let (line, place) = path.last {
      guard place < graph.places(before: line).upperBound else {
        path.removeLast()
        if let above = path.last?.line { low[above] = min(low[above], low[line]) }
        if low[line] == number[line] { found(close(line)) }
        continue
      }
      path[path.count - 1].edge += 1
      let edge = graph[place]
      guard counts(edge) else { continue }
      if number[edge.before] == 0 {
        enter(edge.before, graph)
      } else if isOpen[edge.before] {
        low[line] = min(low[line], number[edge.before])
      }
    }
  }

  private mutating func enter(_ line: Int, _ graph: PlanGraph) {
    count += 1
    (number[line], low[line], isOpen[line]) = (count, count, true)
    open.append(line)
    path.append((line, graph.places(before: line).lowerBound))
  }

  private mutating func close(_ line: Int) -> [Int] {
    var component: [Int] = []
    while let last = open.popLast() {
      isOpen[last] = false
      component.append(last)
      if last == line { break }
    }
    return component
  }
}
