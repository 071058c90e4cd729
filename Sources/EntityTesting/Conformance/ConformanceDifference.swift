/// A case that an adapter is known not to pass, and why.
///
/// ```swift
/// let differences = [
///   ConformanceDifference("a redirect is a response, and is not followed", because: "It follows redirects.")
/// ]
/// try await one.check(MyAdapter(), except: differences)
/// ```
public struct ConformanceDifference: Sendable {
  /// How much of the case is affected.
  public enum Extent: Sendable {
    /// The case fails each time; the test fails once the case passes.
    case always
    /// The result depends on timing.
    case sometimes
    /// The case must not run: it ends the process, or takes too long.
    case notRun
  }

  /// The name of the case.
  public let name: String
  /// The words that the suite shows instead of a success.
  public let reason: String
  /// How much of the case is affected.
  public let extent: Extent

  /// A known difference.
  ///
  /// - Parameters:
  ///   - name: The name of the case.
  ///   - reason: The reason why the adapter differs, as a sentence.
  ///   - extent: Whether the case fails each time.
  public init(_ name: String, because reason: String, _ extent: Extent = .always) {
    (self.name, self.reason, self.extent) = (name, reason, extent)
  }
}
