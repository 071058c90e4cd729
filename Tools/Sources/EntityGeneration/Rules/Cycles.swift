/// The nodes of a graph that lead to one another, found in two walks (Kosaraju).
struct Cycles {
  private var components: [Int: Int] = [:]

  /// - Parameter targets: The nodes that each node leads to.
  init(_ targets: [[Int]]) {
    var sources = targets.map { _ in [Int]() }
    for (node, nodes) in targets.enumerated() { for target in nodes { sources[target].append(node) } }
    var isVisited = targets.map { _ in false }
    var order: [Int] = []
    for start in targets.indices where !isVisited[start] {
      isVisited[start] = true
      var path = [(node: start, next: 0)]
      while let (node, next) = path.last {
        guard next < targets[node].count else {
          order.append(node)
          path.removeLast()
          continue
        }
        path[path.count - 1].next += 1
        let target = targets[node][next]
        if isVisited[target] { continue }
        isVisited[target] = true
        path.append((target, 0))
      }
    }
    for root in order.reversed() where components[root] == nil {
      components[root] = root
      var queue = [root]
      while let node = queue.popLast() {
        for source in sources[node] where components[source] == nil {
          components[source] = root
          queue.append(source)
        }
      }
    }
  }

  /// Whether two nodes, one of which leads to the other, are on a circle; a node is on one with itself.
  func contain(_ node: Int, _ other: Int) -> Bool { components[node] == components[other] }
}
