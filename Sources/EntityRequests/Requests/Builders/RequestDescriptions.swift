import EntityStore
import Foundation

// Descriptions of parts of requests, for logs and debuggers: they show names and sizes, because values may be secrets.

extension QueryParameters: CustomStringConvertible, CustomReflectable {
  /// The names of the parameters; `…` for each value.
  public var description: String {
    "[" + items.map { $0.value == nil ? $0.name : "\($0.name)=…" }.joined(separator: ", ") + "]"
  }

  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension MultipartPart: CustomStringConvertible, CustomReflectable {
  /// The name of the field, and the size of its content or the name of its file.
  public var description: String {
    switch content {
    case .data(let data): "'\(name)', \(data.count) bytes"
    case .file(let url): "'\(name)', the file \(url.lastPathComponent)"
    }
  }

  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension EntityPages: CustomStringConvertible, CustomReflectable {
  /// The entity and the pagination.
  public var description: String {
    "pages of \(Entity.entityName) by \(type(of: pagination))" + (start.map { " from \($0)" } ?? "")
  }

  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension EntityPages.AsyncIterator: CustomStringConvertible, CustomReflectable {
  /// Describes the pages.
  public var description: String { "a walk through \(pages)" }

  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension ReceivedPage: CustomStringConvertible, CustomReflectable {
  /// The number of the page, its URL without the values of the query, its status, and how many objects it has.
  public var description: String {
    "page \(number) from \(url.shown), status \(response.status), \(objects.count) objects"
  }

  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension NextPage: CustomStringConvertible, CustomReflectable {
  /// The kind; for a query its names.
  public var description: String {
    switch self {
    case .url: "a URL"
    case .query(let query): "the query \(query)"
    case .body(let values): "the body's \(values.keys.sorted())"
    case .range(let range): "the range \(range)"
    case .unconfirmedEnd(let reason): "an end that is not confirmed: \(reason)"
    }
  }

  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension CachedResponses: CustomStringConvertible, CustomReflectable {
  /// The entity.
  public var description: String { "the known response and that of the server, of \(Entity.entityName)" }

  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension CachedResponses.AsyncIterator: CustomReflectable {
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

extension LiveResource: CustomReflectable {
  public nonisolated var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
