/// The part of SwiftUI that the screens use, so that they compile where there is no SwiftUI. Nothing here works: no view is drawn.
public import Observation

@MainActor public protocol View {
  associatedtype Body: View
  @ViewBuilder var body: Body { get }
}

/// Any view of SwiftUI's own, and what a builder makes.
public struct Drawing: View {
  public var body: Drawing { self }
}

@MainActor @resultBuilder public enum ViewBuilder {
  public static func buildBlock(_ views: any View...) -> Drawing { Drawing() }
  public static func buildOptional(_ view: Drawing?) -> Drawing { Drawing() }
  public static func buildEither(first view: Drawing) -> Drawing { view }
  public static func buildEither(second view: Drawing) -> Drawing { view }
}

// MARK: State

@MainActor @propertyWrapper public struct State<Value> {
  private final class Box {
    var value: Value
    init(_ value: Value) { self.value = value }
  }
  private let box: Box

  public init(initialValue: Value) { box = Box(initialValue) }
  public init(wrappedValue: Value) { box = Box(wrappedValue) }
  public var wrappedValue: Value {
    get { box.value }
    nonmutating set { box.value = newValue }
  }
  public var projectedValue: Binding<Value> { Binding() }
}

@MainActor public struct Binding<Value> {}

@MainActor @propertyWrapper @dynamicMemberLookup public struct Bindable<Value: AnyObject & Observable> {
  public let wrappedValue: Value
  public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
  public var projectedValue: Self { self }
  public subscript<Subject>(dynamicMember path: ReferenceWritableKeyPath<Value, Subject>) -> Binding<Subject> {
    Binding()
  }
}

@MainActor @propertyWrapper public struct Environment<Value> {
  private let read: () -> Value
  public init(_ path: KeyPath<EnvironmentValues, Value>) { read = { EnvironmentValues()[keyPath: path] } }
  public var wrappedValue: Value { read() }
}

public struct EnvironmentValues {
  public var dismiss: DismissAction { DismissAction() }
}

@MainActor public struct DismissAction {
  nonisolated init() {}
  public func callAsFunction() {}
}

// MARK: Views

public protocol DrawnView: View where Body == Drawing {}
extension DrawnView {
  public var body: Drawing { Drawing() }
}

public struct Text: DrawnView {
  public init(_ text: String) {}
}

public struct ProgressView: DrawnView {
  public init() {}
}

public struct TextField: DrawnView {
  public init(_ title: String, text: Binding<String>) {}
}

public struct Button: DrawnView {
  public init(_ title: String, action: @escaping @MainActor () -> Void) {}
}

public struct Form: DrawnView {
  public init(@ViewBuilder _ content: () -> Drawing) {}
}

public struct HStack: DrawnView {
  public init(@ViewBuilder _ content: () -> Drawing) {}
}

public struct List: DrawnView {
  public init(@ViewBuilder _ content: () -> Drawing) {}
  public init<Element: Identifiable>(_ elements: [Element], @ViewBuilder _ row: @escaping (Element) -> Drawing) {}
}

public struct ForEach: DrawnView {
  public init<Element: Identifiable>(_ elements: [Element], @ViewBuilder _ row: @escaping (Element) -> Drawing) {}
}

extension View {
  public func onAppear(_ action: @escaping @MainActor () -> Void) -> Drawing { Drawing() }
  public func onDisappear(_ action: @escaping @MainActor () -> Void) -> Drawing { Drawing() }
  public func task(id: some Equatable, _ action: @escaping @Sendable @MainActor () async -> Void) -> Drawing {
    Drawing()
  }
  public func refreshable(_ action: @escaping @Sendable @MainActor () async -> Void) -> Drawing { Drawing() }
  public func onChange(of value: some Equatable, _ action: @escaping @MainActor () -> Void) -> Drawing { Drawing() }
  public func searchable(text: Binding<String>) -> Drawing { Drawing() }
  public func disabled(_ isDisabled: Bool) -> Drawing { Drawing() }
  public func onTapGesture(_ action: @escaping @MainActor () -> Void) -> Drawing { Drawing() }
  public func sheet<Item: Identifiable>(
    item: Binding<Item?>, @ViewBuilder _ content: @escaping (Item) -> Drawing
  ) -> Drawing { Drawing() }
}

@MainActor public protocol PreviewProvider {
  associatedtype Previews: View
  @ViewBuilder static var previews: Previews { get }
}
