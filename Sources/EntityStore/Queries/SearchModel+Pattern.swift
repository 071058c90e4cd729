extension SearchModel {
  /// The pattern in the form for FTS5. The tokenizer of three characters finds nothing in a shorter word, so FTS5 would
  /// ignore the word.
  func text(of pattern: SearchPattern) -> String {
    tokenizer == .trigram && pattern.shortest < 3 ? "\"\"" : pattern.sql
  }
}
