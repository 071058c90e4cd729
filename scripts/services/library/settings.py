"""Django's defaults, APPEND_SLASH among them, with a database of this run."""

import os

SECRET_KEY = "no secret: the service is reached from this machine alone"
DEBUG = False
ALLOWED_HOSTS = ["127.0.0.1"]
INSTALLED_APPS = [
    "django.contrib.contenttypes",
    "django.contrib.auth",
    "rest_framework",
    "rest_framework.authtoken",
    "rest_framework_json_api",
    "library",
]
# The first redirects URLs without the closing slash.
MIDDLEWARE = ["django.middleware.common.CommonMiddleware", "library.keys.IdempotencyKeys"]
ROOT_URLCONF = "library.urls"
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["LIBRARY_DATABASE"]}}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
REST_FRAMEWORK = {
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PAGINATION_CLASS": "rest_framework.pagination.PageNumberPagination",
    "PAGE_SIZE": 10,
    # For views of JSON:API alone.
    "EXCEPTION_HANDLER": "rest_framework_json_api.exceptions.exception_handler",
}
