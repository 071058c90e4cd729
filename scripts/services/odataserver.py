"""A service of OData 4.01 by PyPI's odatapy, over its store in memory: people, whose keys are texts, and orders, whose keys
are numbers that the service makes. The first part of a path is a service of its own, which each test makes by its name.

Both sets have entity tags, so that an edit or a deletion without `If-Match` is refused with 428 and one with an old tag
with 412. A list comes in pages of ten. With `Prefer: odata.track-changes` a list has `@odata.deltaLink`. Argument: a port."""

import sys
import threading

import waitress
from odatapy.edm.csdl import (
    CsdlAbstractEdmProvider,
    CsdlEntityContainer,
    CsdlEntitySet,
    CsdlEntityType,
    CsdlProperty,
    CsdlPropertyRef,
    CsdlSchema,
)
from odatapy.server import OData
from odatapy.server.adapters import ODataWSGIApp
from odatapy.server.inmemory import InMemoryDataStore, InMemoryProcessor
from odatapy.server.processor import CustomETagSupport


class Provider(CsdlAbstractEdmProvider):
    def get_schemas(self):
        person = CsdlEntityType(
            name="Person",
            key=[CsdlPropertyRef(name="UserName")],
            properties=[
                CsdlProperty(name="UserName", type="Edm.String", nullable=False),
                CsdlProperty(name="FirstName", type="Edm.String"),
                CsdlProperty(name="Age", type="Edm.Int32"),
            ],
        )
        order = CsdlEntityType(
            name="Order",
            key=[CsdlPropertyRef(name="ID")],
            properties=[
                CsdlProperty(name="ID", type="Edm.Int64", nullable=False),
                CsdlProperty(name="Number", type="Edm.String", nullable=False),
                CsdlProperty(name="Note", type="Edm.String"),
                CsdlProperty(name="Total", type="Edm.Decimal", precision=10, scale=2),
            ],
        )
        sets = [CsdlEntitySet(name="People", type="Shop.Person"), CsdlEntitySet(name="Orders", type="Shop.Order")]
        container = CsdlEntityContainer(name="Container", entity_sets=sets)
        return [CsdlSchema(namespace="Shop", entity_types=[person, order], entity_container=container)]


class Tagged(CustomETagSupport):
    """All sets have entity tags."""

    def has_etag(self, entity_set):
        return True

    def has_media_etag(self, entity_set):
        return False


def service(path):
    odata = OData.new_instance()
    metadata = odata.create_service_metadata(Provider())
    store = InMemoryDataStore()
    store.declare_key_auto_generating("Orders")
    handler = odata.create_handler(metadata)
    handler.register(InMemoryProcessor(store, page_size=10))
    handler.register(Tagged())
    return ODataWSGIApp(handler, mount_path=path)


services, lock = {}, threading.Lock()


def application(environ, start_response):
    path = "/" + environ["PATH_INFO"].lstrip("/").partition("/")[0]
    with lock:
        if path not in services:
            services[path] = service(path)
    return services[path](environ, start_response)


waitress.serve(application, host="127.0.0.1", port=int(sys.argv[1]), threads=8, ident=None)
