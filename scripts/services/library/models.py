"""The records that the service keeps."""

from django.db import models


class Author(models.Model):
    name = models.CharField(max_length=200, unique=True)


class Book(models.Model):
    title = models.CharField(max_length=200)
    price = models.DecimalField(max_digits=8, decimal_places=2, null=True)
    author = models.ForeignKey(Author, null=True, on_delete=models.CASCADE)
    created_at = models.DateTimeField(auto_now_add=True)


class Reader(models.Model):
    card = models.CharField(max_length=40, unique=True)
    name = models.CharField(max_length=40)
    note = models.CharField(max_length=200, blank=True)


class Fine(models.Model):
    reader = models.ForeignKey(Reader, null=True, on_delete=models.CASCADE)
    amount = models.PositiveIntegerField()
    reason = models.CharField(max_length=200, blank=True)


class Wish(models.Model):
    """What one account keeps for itself."""

    owner = models.CharField(max_length=150)
    text = models.CharField(max_length=200)


class KeptAnswer(models.Model):
    """The answer to a request with an idempotency key; without a status while the request is in work."""

    key = models.CharField(max_length=100, unique=True)
    digest = models.CharField(max_length=64)
    status = models.IntegerField(null=True)
    body = models.BinaryField(default=b"")
    content_type = models.CharField(max_length=100, default="application/json")
