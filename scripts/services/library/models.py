"""The records that the service keeps."""

from django.db import models


class Author(models.Model):
    name = models.CharField(max_length=200, unique=True)


class Book(models.Model):
    title = models.CharField(max_length=200)
    price = models.DecimalField(max_digits=8, decimal_places=2, null=True)
    author = models.ForeignKey(Author, null=True, on_delete=models.CASCADE)
    created_at = models.DateTimeField(auto_now_add=True)
