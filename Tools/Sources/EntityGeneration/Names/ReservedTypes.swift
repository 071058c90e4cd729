extension TypeNames {
  /// Types of Swift, of Foundation and of EntityClient. A type of the project that has such a name hides theirs, in what
  /// the macro writes, too, and in the code of whoever reads the schema.
  static let reserved: Set<String> = swift.union(foundation).union(entityClient)

  private static let swift: Set<String> = [
    "Actor", "Any", "AnyClass", "AnyHashable", "AnyKeyPath", "AnyObject", "AnySequence", "Array", "ArraySlice",
    "AsyncSequence",
    "AsyncStream", "Bool", "CaseIterable", "Character", "Clock", "ClosedRange", "Codable", "CodingKey", "Collection",
    "Comparable", "ContinuousClock", "CustomStringConvertible", "Decodable", "Decoder", "Dictionary", "Double",
    "Duration",
    "Encodable", "Encoder", "Equatable", "Error", "Executor", "Float", "Hashable", "Hasher", "Identifiable", "Instant",
    "Int",
    "Int8", "Int16", "Int32", "Int64", "Iterator", "KeyPath", "MainActor", "Mirror", "Mutex", "Never", "Numeric",
    "ObjectIdentifier", "Observable", "Optional", "OptionSet", "PartialKeyPath", "Protocol", "Range",
    "RawRepresentable",
    "Regex", "Result", "Self", "Sendable", "Sequence", "Set", "Slice", "String", "Substring", "Task",
    "TaskGroup", "TaskLocal", "Type", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Unicode", "Void",
  ]

  private static let foundation: Set<String> = [
    "AttributedString", "Bundle", "Calendar", "Data", "Date", "DateComponents", "DateFormatter", "DateInterval",
    "Decimal",
    "Dimension", "FileHandle", "FileManager", "Formatter", "Host", "IndexPath", "IndexSet", "InputStream",
    "JSONDecoder",
    "JSONEncoder", "JSONSerialization", "Locale", "Lock", "Measurement", "Notification", "NotificationCenter",
    "Operation",
    "OperationQueue", "OutputStream", "PersonNameComponents", "Pipe", "Port", "Predicate", "Process", "ProcessInfo",
    "Progress",
    "RunLoop", "Scanner", "SortDescriptor", "SortOrder", "Stream", "Thread", "TimeInterval", "TimeZone", "Timer",
    "Unit", "URL",
    "URLComponents", "URLQueryItem", "URLRequest", "URLResponse", "URLSession", "UserDefaults", "UUID", "XMLParser",
  ]

  private static let entityClient: Set<String> = [
    "AbsentKeys", "AnyEntityID", "AttributeError", "AttributeTransformer", "AttributeType", "AttributeValue",
    "CachePolicy",
    "CachedResponses", "ChangeAuthor", "ChangedColumns", "Client", "Column", "Columns", "CommittedChanges",
    "CompositeUID",
    "Conflict", "ConflictPolicy", "ContentType", "Counterpart", "DateOnly", "DeclaredMapping", "DeleteRule",
    "DeletedObject",
    "DeletedObjects", "DeletionLimit", "Derived", "Discriminator", "Draft", "Entity", "Envelope", "ErrorModel",
    "ExportField",
    "ExportFields", "ExportLink", "FullTextSearch", "HTTPHeaders", "HTTPMethod", "HTTPResponse", "Index", "Indexed",
    "JSONArray",
    "JSONError", "JSONFormat", "JSONLimits", "JSONObject", "JSONValue", "Key", "KeyStyle", "Lazy", "LazyValue",
    "LiveOutbox",
    "LiveQuery", "LiveResource", "LiveSection", "LocalEdits", "ManagedEntity", "MappingError", "Migration",
    "MissingObjects",
    "MultipartPart", "NextPage", "NilValues", "Outbox", "Page", "PageCursor", "PageProgress", "PageToken", "PageTotal",
    "Pagination", "PathParameters", "PathPattern", "PendingChange", "PendingColumns", "PendingValue", "PrefetchPath",
    "PropertyDescriptor", "QueryParameters", "QueryPlan", "QueryRow", "ReceivedPage", "RefusedValues", "Relationship",
    "RemoteEntity", "RemovedPart", "Request", "RequestAdapter", "RequestBody", "RequestError", "RequestEvent",
    "RequestProgress",
    "ResourceUID", "ResponseContext", "ResponseFormat", "ResponseObject", "ResponseOptions", "ResponsePart", "Route",
    "RouteMatch", "RouteModel", "RoutedResponse", "Routes", "RowChanges", "SQL", "ScalarValue", "SearchPattern",
    "SkippedChange",
    "SkippedChanges", "Slot", "SortDirection", "StatusPattern", "StoreBackup", "StoreError", "StoreLog", "StoreOptions",
    "StoredValue", "StreamedResponse", "Streaming", "TrailingSlash", "TransferMetrics", "TransferProgress",
    "Transformed",
    "Transformers", "Transient", "TransportError", "UID", "UIDValue", "UndoLimit", "Unique", "UnsavedChanges",
    "UpsertMode",
    "ValidationProblem", "ValidationRule", "ValueOptions", "ValueOrigin", "ValueResponse",
  ]
}
