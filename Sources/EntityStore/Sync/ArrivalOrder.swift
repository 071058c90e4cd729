/// Elements in the order they came. Taking out the first, or any other one, takes constant time on average.
struct ArrivalOrder<Element> {
  private var elements: [Int: Element] = [:]
  /// Ids in their order. The id of an element that was taken out stays until it is at the front, or too many stay.
  private var order: ArraySlice<Int> = []

  var count: Int { elements.count }

  var first: Element? { order.first.flatMap { elements[$0] } }

  mutating func append(_ id: Int, _ element: Element) {
    elements[id] = element
    order.append(id)
  }

  mutating func popFirst() -> (id: Int, element: Element)? {
    // The first id always belongs to an element.
    guard let id = order.popFirst(), let element = elements.removeValue(forKey: id) else { return nil }
    tidy()
    return (id, element)
  }

  /// - Returns: The element; `nil` where no element has the id.
  mutating func remove(_ id: Int) -> Element? {
    guard let element = elements.removeValue(forKey: id) else { return nil }
    tidy()
    return element
  }

  /// Makes sure that the first id belongs to an element.
  private mutating func tidy() {
    while let id = order.first, elements[id] == nil { order.removeFirst() }
    if order.count > 2 * elements.count + 16 { order = ArraySlice(order.filter { elements[$0] != nil }) }
  }
}
