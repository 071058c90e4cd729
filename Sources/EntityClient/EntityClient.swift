@_exported public import EntityRequests
@_exported public import EntityStore
