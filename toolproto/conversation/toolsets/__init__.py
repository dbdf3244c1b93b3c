"""Tools that come with the package: files, Python, and a few to play with."""

from .demo import demo_exchanges, demo_tools
from .file_tools import file_tools
from .files import Entry, FileLimits, Files, FolderListing, Removable
from .folder import FolderFiles
from .memory import MemoryFiles
from .paths import split_file_path, split_path
from .python_code import python_tool
from .rule_book import rules_tool
from .stored import StoredFiles

__all__ = [
    "Entry",
    "FileLimits",
    "Files",
    "FolderFiles",
    "FolderListing",
    "MemoryFiles",
    "Removable",
    "StoredFiles",
    "demo_exchanges",
    "demo_tools",
    "file_tools",
    "python_tool",
    "rules_tool",
    "split_file_path",
    "split_path",
]
