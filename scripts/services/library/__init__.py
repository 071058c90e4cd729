"""A stock service of Django's REST framework: books and their authors. Nothing in it was made to suit EntityClient."""
