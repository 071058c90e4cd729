/// A computed property that the store keeps in a column: queries find, sort and group by it, and it can be `@Indexed`.
///
/// ```swift
/// @Entity final class Line {
///   var price: Decimal
///   var count: Int
///   @Derived @Indexed var total: Decimal { price * Decimal(count) }
/// }
/// let large = try context.fetch(Line.where { $0.total > 1_000 }.sorted { $0.total })
/// ```
/// The body reads stored attributes of its own object by their names. It must make the same value from the same
/// attributes. The store runs the body when it writes a row, wherever the attributes came from. The object runs it when
/// the property is read. So both have the value of the present attributes, unsaved changes included. The property is in
/// no response and in no request, and nobody sets it.
///
/// The body must have a value for all values of the attributes, including their defaults: it runs for anything that a
/// server sends. A trap in it, such as a division by 0 or an overflow, ends the process.
///
/// When a file of an earlier version of the app is opened, all rows get the values of a property that is new or whose
/// body was edited. Raise `version` where another change leads to other values, such as a change of a function that the
/// body calls.
///
/// - Parameter version: A number, 1 by default.
@attached(peer)
public macro Derived(version: Int = 1) = #externalMacro(module: "EntityMacrosPlugin", type: "MarkerMacro")
