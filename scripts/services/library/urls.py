"""The API, as the REST framework's tutorial writes one: a router, whose URLs end with a slash."""

from django.urls import include, path
from rest_framework import routers, serializers, viewsets

from . import hal, jsonapi
from .models import Author, Book


class AuthorSerializer(serializers.ModelSerializer):
    class Meta:
        model = Author
        fields = "__all__"


class BookSerializer(serializers.ModelSerializer):
    class Meta:
        model = Book
        fields = "__all__"


class AuthorViewSet(viewsets.ModelViewSet):
    queryset = Author.objects.order_by("id")
    serializer_class = AuthorSerializer


class BookViewSet(viewsets.ModelViewSet):
    serializer_class = BookSerializer

    def get_queryset(self):
        books = Book.objects.order_by("id")
        author = self.request.query_params.get("author")
        return books.filter(author=author) if author else books


router = routers.DefaultRouter()
router.register("authors", AuthorViewSet, basename="author")
router.register("books", BookViewSet, basename="book")
urlpatterns = [path("api/", include(router.urls)), path("jsonapi/", include(jsonapi)), path("hal/", include(hal))]
