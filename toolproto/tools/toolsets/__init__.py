"""Tools that come with the package: files in memory, in a sealed folder or in a store; Python."""

from .file_tools import file_tools
from .files import Entry, FileLimits, Files, Listing, Removable
from .folder import FolderFiles
from .memory import MemoryFiles
from .paths import split_file_path, split_path
from .python_code import python_tool
from .stored import StoredFiles

__all__ = [
    "Entry",
    "FileLimits",
    "Files",
    "FolderFiles",
    "Listing",
    "MemoryFiles",
    "Removable",
    "StoredFiles",
    "file_tools",
    "python_tool",
    "split_file_path",
    "split_path",
]
