@_exported public import AdapterDecorators
