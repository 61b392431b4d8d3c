"""A best-fit allocator with coalescing, over memory that a device allocates in large regions."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable
from itertools import pairwise

import msgspec
from msgspec.structs import replace

ALIGNMENT = 256
"""Every chunk begins and ends at a multiple of this, in bytes."""

FIRST_REGION = 1 << 20
"""Size of the first region in bytes; each further one is at least twice as large as the one before."""


class _Chunk(msgspec.Struct, order=True):
    """A piece of a region."""

    address: int
    size: int
    region: int
    """The address of the region."""
    free: bool = True


class Statistics(msgspec.Struct, kw_only=True):
    """Counts of the memory that an allocator has handed out so far, in bytes, except `allocations`."""

    limit: int
    allocations: int = 0
    in_use: int = 0
    peak_in_use: int = 0
    largest: int = 0
    reserved: int = 0
    largest_free: int = 0


class BestFitAllocator:
    """Takes regions from a device and divides them; freed neighbours grow together again.

    The smallest free chunk that is large enough is taken, the one with the lowest address among equals. What is left
    over becomes a free chunk. Regions are given back when the allocator is closed.
    """

    def __init__(
        self, take: Callable[[int], int], give_back: Callable[[int, int], None], *, limit: int, grow: bool = True
    ) -> None:
        """Allocate from a device.

        Args:
            take: given a number of bytes, returns the address of that much memory, 0 when there is not enough.
            give_back: given the address and size of what `take` gave, frees it.
            limit: the most bytes to take in all.
            grow: take memory bit by bit as it is needed; otherwise all of the limit at the first allocation.
        """
        self._take = take
        self._give_back = give_back
        self._next_region = FIRST_REGION if grow else limit
        self._regions: dict[int, int] = {}
        """Address to size."""
        self._chunks: list[_Chunk] = []
        """By address."""
        self._counts = Statistics(limit=limit)

    def allocate(self, size: int) -> int:
        """Allocate memory.

        Args:
            size: in bytes.

        Returns:
            Its address, a multiple of `ALIGNMENT` where the device's regions begin at one; 0 when there is none.
        """
        rounded = max(1, -(-size // ALIGNMENT)) * ALIGNMENT
        fitting = [each for each in self._chunks if each.free and each.size >= rounded]
        chunk = min(fitting, key=lambda each: each.size, default=None) or self._extend(rounded)
        if chunk is None:
            return 0
        if chunk.size > rounded:
            insort(self._chunks, _Chunk(chunk.address + rounded, chunk.size - rounded, chunk.region))
        chunk.size, chunk.free = rounded, False
        counts = self._counts
        counts.allocations += 1
        counts.in_use += rounded
        counts.peak_in_use = max(counts.peak_in_use, counts.in_use)
        counts.largest = max(counts.largest, rounded)
        return chunk.address

    def free(self, address: int) -> None:
        """Free what `allocate` gave.

        Raises:
            ValueError: nothing is allocated there.
        """
        place = bisect_left(self._chunks, address, key=lambda each: each.address)
        near = self._chunks[max(0, place - 1) : place + 2]
        chunk = next((each for each in near if each.address == address and not each.free), None)
        if chunk is None:
            raise ValueError(f"nothing is allocated at {address:#x}")
        chunk.free = True
        self._counts.in_use -= chunk.size
        for before, behind in reversed(tuple(pairwise(near))):
            if before.free and behind.free and before.region == behind.region:
                before.size += behind.size
                self._chunks.remove(behind)

    def close(self) -> None:
        """Give all regions back, even if parts of them are still allocated."""
        for address, size in self._regions.items():
            self._give_back(address, size)
        self._regions.clear()
        self._chunks.clear()

    def statistics(self) -> Statistics:
        """Return the counts so far."""
        return replace(self._counts, largest_free=max((each.size for each in self._chunks if each.free), default=0))

    def _extend(self, size: int) -> _Chunk | None:
        """Take another region that holds at least this; where the device has not that much, a smaller one."""
        room = (self._counts.limit - self._counts.reserved) // ALIGNMENT * ALIGNMENT
        wanted = min(max(size, self._next_region), room)
        while wanted >= size:
            address = self._take(wanted)
            if address:
                self._regions[address] = wanted
                self._counts.reserved += wanted
                self._next_region = max(self._next_region, wanted) * 2
                chunk = _Chunk(address, wanted, address)
                insort(self._chunks, chunk)
                return chunk
            if wanted == size:
                break
            wanted = max(size, wanted // 10 * 9 // ALIGNMENT * ALIGNMENT)
        return None
