"""The same books as a service of HAL, written with the schemas of halogen."""

import json

import halogen
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import path, reverse

from .models import Author, Book


def url(name):
    return lambda value: reverse(name, args=[value.pk])


class AuthorSchema(halogen.Schema):
    self = halogen.Link(attr=url("hal-author"))
    id = halogen.Attr(attr="pk")
    name = halogen.Attr()


class BookSchema(halogen.Schema):
    self = halogen.Link(attr=url("hal-book"))
    id = halogen.Attr(attr="pk")
    title = halogen.Attr()
    created_at = halogen.Attr(halogen.types.ISOUTCDateTime())
    author = halogen.Embedded(AuthorSchema, required=False)


class PageSchema(halogen.Schema):
    self = halogen.Link()
    next = halogen.Link(required=False)
    total = halogen.Attr()
    books = halogen.Embedded(halogen.types.List(BookSchema))


def answer(value, status=200, **headers):
    return HttpResponse(json.dumps(value), content_type="application/hal+json", status=status, headers=headers)


def authors(request):
    author = Author.objects.create(name=json.loads(request.body)["name"])
    return HttpResponse(status=201, headers={"Location": reverse("hal-author", args=[author.pk])})


def author(request, pk):
    author = get_object_or_404(Author, pk=pk)
    if request.method == "DELETE":
        author.delete()
        return HttpResponse(status=204)
    return answer(AuthorSchema.serialize(author))


def books(request):
    if request.method == "POST":
        fields = json.loads(request.body)
        book = Book.objects.create(title=fields["title"], author_id=fields.get("author"))
        return HttpResponse(status=201, headers={"Location": reverse("hal-book", args=[book.pk])})
    found = Book.objects.select_related("author").order_by("id")
    if "author" in request.GET:
        found = found.filter(author=request.GET["author"])
    page = Paginator(found, 10).get_page(request.GET.get("page"))
    links = {"self": request.get_full_path()}
    if page.has_next():
        query = request.GET.copy()
        query["page"] = page.next_page_number()
        links["next"] = f"{request.path}?{query.urlencode()}"
    return answer(PageSchema.serialize(links | {"total": page.paginator.count, "books": list(page)}))


def book(request, pk):
    return answer(BookSchema.serialize(get_object_or_404(Book.objects.select_related("author"), pk=pk)))


urlpatterns = [
    path("authors", authors),
    path("authors/<int:pk>", author, name="hal-author"),
    path("books", books),
    path("books/<int:pk>", book, name="hal-book"),
]
