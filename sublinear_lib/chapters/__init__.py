"""What one page of the book alone uses: a folder for each page, with its figures and explorers.

A page imports its own folder, such as ``from sublinear_lib.chapters.who_flips import figures``, and
no other.  Nothing else in the library imports from here, and nothing here is public.
"""
