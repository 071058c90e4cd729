import EntityMacrosPlugin
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// Expands the macros of this package in `source` and compares text and diagnostics.
func expectExpansion(
  _ source: String, _ expanded: String, _ diagnostics: [DiagnosticSpec] = [], fixes: [String]? = nil,
  fixed: String? = nil, fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
  column: UInt = #column
) {
  let marker = MacroSpec(type: MarkerMacro.self)
  assertMacroExpansion(
    source, expandedSource: expanded, diagnostics: diagnostics,
    macroSpecs: [
      "Entity": MacroSpec(type: EntityMacro.self, conformances: ["ManagedEntity"]),
      "_EntityProperty": MacroSpec(type: PropertyMacro.self), "UID": marker, "Key": marker, "Relationship": marker,
      "Transient": marker, "Unique": marker, "Indexed": marker, "Transformed": marker,
    ], applyFixIts: fixes, fixedSource: fixed, indentationWidth: .spaces(2),
    failureHandler: { failure in
      Issue.record(
        Comment(rawValue: failure.message),
        sourceLocation: SourceLocation(
          fileID: failure.location.fileID, filePath: failure.location.filePath, line: failure.location.line,
          column: failure.location.column))
    }, fileID: fileID, filePath: filePath, line: line, column: column)
}
