import EntityMacrosPlugin
import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// The macros of this package, as tests expand them.
private let macros: [String: MacroSpec] = {
  var macros = [
    "Entity": MacroSpec(type: EntityMacro.self, conformances: ["ManagedEntity"]),
    "_EntityProperty": MacroSpec(type: PropertyMacro.self),
    "_EntityTransient": MacroSpec(type: TransientMacro.self),
  ]
  let markers = [
    "UID", "Key", "Relationship", "Transient", "Unique", "Indexed", "Transformed", "Renamed", "Derived", "Lazy",
  ]
  for marker in markers {
    macros[marker] = MacroSpec(type: MarkerMacro.self)
  }
  return macros
}()

/// The expansion of `source`; its diagnostics are left to ``expectExpansion``.
///
/// - Parameter path: The file that it is in; where there is none the expansion says of no line where it belongs.
func expansion(of source: String, in path: String? = nil) -> String {
  let file = Parser.parse(source: source)
  let context = BasicMacroExpansionContext(
    sourceFiles: path.map { [file: .init(moduleName: "TestModule", fullFilePath: $0)] } ?? [:])
  return file.expand(
    macroSpecs: macros,
    contextGenerator: { syntax in
      BasicMacroExpansionContext(sharingWith: context, lexicalContext: syntax.allMacroLexicalContexts())
    }, indentationWidth: .spaces(2)
  ).description
}

/// Compares the expansion of `source` where its file is not known, its diagnostics, and the source with their fix-its.
///
/// - Parameter expanded: `nil` where the text is of no interest.
func expectExpansion(
  _ source: String, _ expanded: String? = nil, _ diagnostics: [DiagnosticSpec] = [], fixed: String? = nil,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) {
  let place = SourceLocation(
    fileID: String(describing: fileID), filePath: String(describing: filePath), line: Int(line), column: Int(column))
  if let expanded { #expect(expansion(of: source) == expanded, sourceLocation: place) }
  assertMacroExpansion(
    source, expandedSource: expansion(of: source, in: "test.swift"), diagnostics: diagnostics, macroSpecs: macros,
    fixedSource: fixed, testFileName: "test.swift", indentationWidth: .spaces(2),
    failureHandler: { failure in
      Issue.record(Comment(rawValue: failure.message), sourceLocation: place)
    }, fileID: fileID, filePath: filePath, line: line, column: column)
}
