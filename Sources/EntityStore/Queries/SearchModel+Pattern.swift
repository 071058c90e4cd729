extension SearchModel {
  /// The pattern as FTS5 takes it. The tokenizer of three characters makes nothing of a word of fewer, so that FTS5
  /// would pass over it.
  func text(of pattern: SearchPattern) -> String {
    tokenizer == .trigram && pattern.shortest < 3 ? "\"\"" : pattern.sql
  }
}
