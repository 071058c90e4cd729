import EntityOutbox
import Testing

@Suite struct PlannerTests {
  @Test func `nothing pending plans nothing`() { #expect(OutboxSituation().pending.isEmpty) }
}
