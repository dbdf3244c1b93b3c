"""Tools that come with the package: files, in memory or in a folder that seals them off."""

from .file_tools import file_tools
from .files import Entry, FileLimits, Files, Listing, Removable
from .folder import FolderFiles
from .memory import MemoryFiles
from .paths import split_file_path, split_path

__all__ = [
    "Entry",
    "FileLimits",
    "Files",
    "FolderFiles",
    "Listing",
    "MemoryFiles",
    "Removable",
    "file_tools",
    "split_file_path",
    "split_path",
]
