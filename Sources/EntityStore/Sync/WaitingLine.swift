/// Elements in the order in which they came. To take out the first element, or any other one, takes constant time on average.
package struct WaitingLine<ID: Hashable, Element> {
  /// The elements by their ids, in no order.
  package private(set) var elements: [ID: Element] = [:]
  /// Ids in their order. The id of an element that was taken out stays until it is the first one, or until there are too many.
  private var order: ArraySlice<ID> = []

  package init() {}

  package var count: Int { elements.count }

  package var isEmpty: Bool { elements.isEmpty }

  package var first: Element? { order.first.flatMap { elements[$0] } }

  package mutating func append(_ id: ID, _ element: Element) {
    elements[id] = element
    order.append(id)
  }

  package mutating func popFirst() -> (id: ID, element: Element)? {
    // The first id is always that of an element.
    guard let id = order.popFirst(), let element = elements.removeValue(forKey: id) else { return nil }
    tidy()
    return (id, element)
  }

  /// - Returns: The element; `nil` where there is none with the id.
  @discardableResult package mutating func remove(_ id: ID) -> Element? {
    guard let element = elements.removeValue(forKey: id) else { return nil }
    tidy()
    return element
  }

  /// Keeps the first id that of an element.
  private mutating func tidy() {
    while let id = order.first, elements[id] == nil { order.removeFirst() }
    if order.count > 2 * elements.count + 16 { order = ArraySlice(order.filter { elements[$0] != nil }) }
  }
}
