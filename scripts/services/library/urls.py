"""The API, as the REST framework's tutorial writes one: a router, whose URLs end with a slash."""

from django.contrib.auth.models import User
from django.urls import include, path
from rest_framework import generics, routers, serializers, viewsets
from rest_framework.authentication import TokenAuthentication
from rest_framework.authtoken.views import obtain_auth_token
from rest_framework.permissions import IsAuthenticated
from rest_framework.response import Response
from rest_framework.views import APIView

from . import hal, jsonapi
from .models import Author, Book, Fine, Reader, Wish


class AuthorSerializer(serializers.ModelSerializer):
    class Meta:
        model = Author
        fields = "__all__"


class BookSerializer(serializers.ModelSerializer):
    class Meta:
        model = Book
        fields = "__all__"


class ReaderSerializer(serializers.ModelSerializer):
    class Meta:
        model = Reader
        fields = "__all__"


class FineSerializer(serializers.ModelSerializer):
    class Meta:
        model = Fine
        fields = "__all__"


class WishSerializer(serializers.ModelSerializer):
    class Meta:
        model = Wish
        fields = ["id", "text"]


class AccountSerializer(serializers.ModelSerializer):
    class Meta:
        model = User
        fields = ["username", "password"]
        extra_kwargs = {"password": {"write_only": True}}

    def create(self, fields):
        return User.objects.create_user(**fields)


class AuthorViewSet(viewsets.ModelViewSet):
    queryset = Author.objects.order_by("id")
    serializer_class = AuthorSerializer


class BookViewSet(viewsets.ModelViewSet):
    serializer_class = BookSerializer

    def get_queryset(self):
        books = Book.objects.order_by("id")
        author = self.request.query_params.get("author")
        return books.filter(author=author) if author else books


class ReaderViewSet(viewsets.ModelViewSet):
    serializer_class = ReaderSerializer

    def get_queryset(self):
        readers = Reader.objects.order_by("id")
        card = self.request.query_params.get("card")
        return readers.filter(card=card) if card else readers


class FineViewSet(viewsets.ModelViewSet):
    serializer_class = FineSerializer

    def get_queryset(self):
        fines = Fine.objects.order_by("id")
        reason = self.request.query_params.get("reason")
        return fines.filter(reason=reason) if reason else fines


class WishViewSet(viewsets.ModelViewSet):
    """An account sees its own wishes, and shows who it is by a token."""

    serializer_class = WishSerializer
    authentication_classes = [TokenAuthentication]
    permission_classes = [IsAuthenticated]

    def get_queryset(self):
        return Wish.objects.filter(owner=self.request.user.username).order_by("id")

    def perform_create(self, serializer):
        serializer.save(owner=self.request.user.username)


class AccountsView(generics.CreateAPIView):
    serializer_class = AccountSerializer


class LogoutView(APIView):
    authentication_classes = [TokenAuthentication]
    permission_classes = [IsAuthenticated]

    def post(self, request):
        request.auth.delete()
        return Response(status=204)


router = routers.DefaultRouter()
router.register("authors", AuthorViewSet, basename="author")
router.register("books", BookViewSet, basename="book")
router.register("readers", ReaderViewSet, basename="reader")
router.register("fines", FineViewSet, basename="fine")
router.register("wishes", WishViewSet, basename="wish")
urlpatterns = [
    path("api/accounts/", AccountsView.as_view()),
    path("api/login/", obtain_auth_token),
    path("api/logout/", LogoutView.as_view()),
    path("api/", include(router.urls)),
    path("jsonapi/", include(jsonapi)),
    path("hal/", include(hal)),
]
