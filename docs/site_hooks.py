"""What mkdocs does with links that leave docs/: the repository has those files, the site names them."""

from __future__ import annotations

import re
from typing import Any

_LEAVING = re.compile(r"\[([^\]]*)\]\(((?:\.\./)+(?!reference/|tutorials/)[^)\s]*?)\)")


def on_page_markdown(markdown: str, *, page: Any, **_more: Any) -> str:
    """Replace a link to a file outside of docs/ by its text and the file's name."""
    depth = page.file.src_uri.count("/")

    def outside(match: re.Match[str]) -> str:
        text, target = match[1], match[2]
        if target.count("../") <= depth:
            return match[0]
        path = target.replace("../", "").partition("#")[0]
        return f"{text} (`{path}`)" if path.rpartition("/")[2] != text.strip("`") else f"`{path}`"

    return _LEAVING.sub(outside, markdown)
