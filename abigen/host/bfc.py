"""A best-fit allocator with coalescing, over memory that a device hands out in large regions."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable
from dataclasses import dataclass

ALIGNMENT = 256
"""Every chunk begins and ends at a multiple of this, in bytes."""

FIRST_REGION = 1 << 20
"""Size of the first region in bytes; each further one is at least twice as large as the one before."""


@dataclass
class _Chunk:
    """A piece of a region; its neighbours in memory are in the same region."""

    address: int
    size: int
    requested: int = 0
    free: bool = True
    before: _Chunk | None = None
    behind: _Chunk | None = None


@dataclass(frozen=True)
class Statistics:
    """What an allocator has handed out so far; bytes, except `allocations`."""

    allocations: int
    in_use: int
    peak_in_use: int
    largest: int
    reserved: int
    limit: int
    largest_free: int


class BestFitAllocator:
    """Takes regions from a device and divides them; freed neighbours grow together again.

    The smallest free chunk that is large enough is taken, the one with the lowest address among equals. What is left
    over becomes a free chunk when it is worth it. Regions are given back when the allocator is closed.
    """

    def __init__(
        self, take: Callable[[int], int], give_back: Callable[[int, int], None], *, limit: int, grow: bool = True
    ) -> None:
        """Allocate from a device.

        Args:
            take: given a number of bytes, returns the address of that much memory, 0 when there is not enough.
            give_back: given the address and size of what `take` gave, frees it.
            limit: how many bytes may be taken in all.
            grow: take memory bit by bit as it is needed; otherwise all of the limit at the first allocation.
        """
        self._take = take
        self._give_back = give_back
        self._limit = limit
        self._grow = grow
        self._next_region = FIRST_REGION
        self._regions: list[tuple[int, int]] = []
        self._free: list[tuple[int, int]] = []  # size and address, sorted
        self._chunks: dict[int, _Chunk] = {}
        self._allocations = self._in_use = self._peak = self._largest = self._reserved = 0

    def allocate(self, size: int) -> int:
        """Allocate memory.

        Args:
            size: in bytes.

        Returns:
            Its address, a multiple of `ALIGNMENT` where the device's regions begin at one; 0 when there is none.
        """
        rounded = max(1, -(-size // ALIGNMENT)) * ALIGNMENT
        chunk = self._best(rounded)
        if chunk is None and self._extend(rounded):
            chunk = self._best(rounded)
        if chunk is None:
            return 0
        self._free.remove((chunk.size, chunk.address))
        if chunk.size - rounded >= ALIGNMENT:
            self._split(chunk, rounded)
        chunk.free, chunk.requested = False, size
        self._allocations += 1
        self._in_use += chunk.size
        self._peak = max(self._peak, self._in_use)
        self._largest = max(self._largest, chunk.size)
        return chunk.address

    def free(self, address: int) -> None:
        """Free what `allocate` gave.

        Raises:
            ValueError: nothing is allocated there.
        """
        chunk = self._chunks.get(address)
        if chunk is None or chunk.free:
            raise ValueError(f"nothing is allocated at {address:#x}")
        self._in_use -= chunk.size
        chunk.free = True
        if chunk.behind is not None and chunk.behind.free:
            self._free.remove((chunk.behind.size, chunk.behind.address))
            self._merge(chunk, chunk.behind)
        if chunk.before is not None and chunk.before.free:
            self._free.remove((chunk.before.size, chunk.before.address))
            chunk = self._merge(chunk.before, chunk)
        insort(self._free, (chunk.size, chunk.address))

    def close(self) -> None:
        """Give all regions back, whatever is still allocated in them."""
        for address, size in self._regions:
            self._give_back(address, size)
        self._regions.clear()
        self._free.clear()
        self._chunks.clear()

    def statistics(self) -> Statistics:
        """What has been handed out so far."""
        return Statistics(
            allocations=self._allocations,
            in_use=self._in_use,
            peak_in_use=self._peak,
            largest=self._largest,
            reserved=self._reserved,
            limit=self._limit,
            largest_free=self._free[-1][0] if self._free else 0,
        )

    def _best(self, size: int) -> _Chunk | None:
        """The smallest free chunk of at least this size."""
        place = bisect_left(self._free, (size, 0))
        return self._chunks[self._free[place][1]] if place < len(self._free) else None

    def _extend(self, size: int) -> bool:
        """Take another region that holds at least this; where the device has not that much, a smaller one."""
        room = (self._limit - self._reserved) // ALIGNMENT * ALIGNMENT
        wanted = min(max(size, self._next_region if self._grow else room), room)
        while wanted >= size:
            address = self._take(wanted)
            if address:
                self._add_region(address, wanted)
                return True
            if wanted == size:
                break
            wanted = max(size, wanted // 10 * 9 // ALIGNMENT * ALIGNMENT)
        return False

    def _add_region(self, address: int, size: int) -> None:
        self._regions.append((address, size))
        self._reserved += size
        self._next_region = max(self._next_region, size) * 2
        self._chunks[address] = _Chunk(address, size)
        insort(self._free, (size, address))

    def _split(self, chunk: _Chunk, size: int) -> None:
        """Cut off what is behind the first bytes of a chunk as a free chunk."""
        rest = _Chunk(chunk.address + size, chunk.size - size, before=chunk, behind=chunk.behind)
        if chunk.behind is not None:
            chunk.behind.before = rest
        chunk.behind, chunk.size = rest, size
        self._chunks[rest.address] = rest
        insort(self._free, (rest.size, rest.address))

    def _merge(self, first: _Chunk, second: _Chunk) -> _Chunk:
        """Make one chunk of two neighbours; neither is listed as free any more."""
        first.size += second.size
        first.behind = second.behind
        if second.behind is not None:
            second.behind.before = first
        del self._chunks[second.address]
        return first
