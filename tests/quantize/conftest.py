"""What designs compute is judged here, not which design is found."""

from tests.searching import little, much

__all__ = ["little", "much"]
