import Testing

/// The comparison of SQL that is run with SQL that is shown.
struct ShownCallTests {
  private static let count = #"SELECT count(*) FROM (SELECT 1 FROM "User" AS t0 WHERE "#

  @Test(arguments: [
    (#"(t0."age" IS ? AND t0._placeholder = 0)"#, #"t0."age" IS ?"#),
    (#"((t0."age" IS ?) IS NOT TRUE AND t0._placeholder = 0)"#, #"(t0."age" IS ?) IS NOT TRUE"#),
    (
      #"(EXISTS (SELECT 1 FROM "A" AS t1 WHERE 1) AND t0._placeholder = 0)"#,
      #"EXISTS (SELECT 1 FROM "A" AS t1 WHERE …)"#
    ),
  ]) func `a condition is shown as a whole`(_ run: String, _ shown: String) {
    #expect(ShownCall.isShown(Self.count + run + ")", shown))
  }

  @Test(arguments: [
    // A part of the condition that is run.
    (#"(t0."age" IS ? AND t0._placeholder = 0)"#, #"t0."age""#),
    (#"((t0."age" IS ?) IS NOT TRUE AND t0._placeholder = 0)"#, #"t0."age" IS ?"#),
    (#"(t0."age" IS ? OR t0."age" > ? AND t0._placeholder = 0)"#, #"t0."age" IS ?"#),
    (#"(t0."age" IS NOT ? AND t0._placeholder = 0)"#, #"t0."age" IS ?"#),
    (
      #"(EXISTS (SELECT 1 FROM "A" AS t1 WHERE 1) AND t0._placeholder = 0)"#,
      #"EXISTS (SELECT 1 FROM "B" AS t1 WHERE …)"#
    ),
  ]) func `another condition is not shown as a whole`(_ run: String, _ shown: String) {
    #expect(!ShownCall.isShown(Self.count + run + ")", shown))
  }
}
