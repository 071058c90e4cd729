"""The same books as a service of JSON:API, with the serializers and views of djangorestframework-jsonapi."""

from rest_framework import routers
from rest_framework_json_api import metadata, pagination, parsers, renderers, serializers, views

from .models import Author, Book


class AuthorSerializer(serializers.ModelSerializer):
    class Meta:
        model = Author
        fields = ["name"]


class BookSerializer(serializers.ModelSerializer):
    included_serializers = {"author": AuthorSerializer}

    class Meta:
        model = Book
        fields = ["title", "price", "author", "created_at"]


class Settings:
    """The settings that its documentation gives, for these views alone."""

    pagination_class = pagination.JsonApiPageNumberPagination
    parser_classes = [parsers.JSONParser]
    renderer_classes = [renderers.JSONRenderer]
    metadata_class = metadata.JSONAPIMetadata


class AuthorViewSet(Settings, views.ModelViewSet):
    queryset = Author.objects.order_by("id")
    serializer_class = AuthorSerializer


class BookViewSet(Settings, views.ModelViewSet):
    queryset = Book.objects.order_by("id")
    serializer_class = BookSerializer

    def get_queryset(self):
        author = self.request.query_params.get("filter[author]")
        books = super().get_queryset()
        return books.filter(author=author) if author else books


router = routers.DefaultRouter()
router.register("authors", AuthorViewSet, basename="jsonapi-author")
router.register("books", BookViewSet, basename="jsonapi-book")
urlpatterns = router.urls
