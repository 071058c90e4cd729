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
/// The body reads stored attributes of its own object by their names, and makes the same value of the same ones. The store runs
/// it where it writes a row, on whatever way the attributes came; the object runs it when the property is read. So it has the
/// value of the present attributes in both, unsaved changes included. No response has the property, no request sends it, and
/// nobody sets it.
///
/// The body has a value for all values of the attributes, their defaults included: it runs for whatever a server sends, and a
/// trap in it, as a division by 0 or an overflow, ends the process.
///
/// A file of an earlier version of the app gets the values of all rows when it is opened: of a property that is new, and of one
/// whose body was edited. Raise `version` where another change makes other values, as that of a function which the body calls.
///
/// - Parameter version: A number, 1 by default.
@attached(peer)
public macro Derived(version: Int = 1) = #externalMacro(module: "EntityMacrosPlugin", type: "MarkerMacro")
