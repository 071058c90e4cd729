"""A stock service of Django's REST framework: books and their authors; the same as JSON:API, and as HAL.

Nothing in it was made to suit EntityClient.
"""
