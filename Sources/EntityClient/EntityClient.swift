@_exported public import EntityJSON
@_exported public import EntityMacros
@_exported public import EntityOutbox
@_exported public import EntityRequests
@_exported public import EntityStore
