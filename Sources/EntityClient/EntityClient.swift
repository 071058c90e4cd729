@_exported public import EntityMacros
@_exported public import EntityRequests
@_exported public import EntityStore
