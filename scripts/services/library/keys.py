"""Idempotency keys, as draft-ietf-httpapi-idempotency-key-header describes them."""

import hashlib

from django.http import HttpResponse, JsonResponse

from .models import KeptAnswer


class IdempotencyKeys:
    """Acts on a POST with a key once, and answers each repetition as it answered the first request."""

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        key = request.headers.get("Idempotency-Key")
        if not key or request.method != "POST":
            return self.get_response(request)
        digest = hashlib.sha256(request.get_full_path().encode() + b"\n" + request.body).hexdigest()
        kept, is_new = KeptAnswer.objects.get_or_create(key=key, defaults={"digest": digest})
        if is_new:
            return self.first(kept, request)
        if kept.digest != digest:
            return JsonResponse({"detail": "The key was used for another request."}, status=422)
        if kept.status is None:
            return JsonResponse({"detail": "The first request with the key is in work."}, status=409)
        return HttpResponse(bytes(kept.body), status=kept.status, content_type=kept.content_type)

    def first(self, kept, request):
        try:
            response = self.get_response(request)
        except BaseException:
            kept.delete()
            raise
        if response.status_code >= 500 or response.status_code == 401:
            # Nothing was done: the next request with the key is the first.
            kept.delete()
            return response
        kept.status = response.status_code
        kept.body = response.content
        kept.content_type = response.headers.get("Content-Type", kept.content_type)
        kept.save()
        return response
