"""The best-fit allocator."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abigen.runner.apis.tensorflow.host.bfc import ALIGNMENT, FIRST_REGION, BestFitAllocator


class Memory:
    """A device whose memory is numbers."""

    def __init__(self, largest: int = 1 << 40) -> None:
        self.next = ALIGNMENT
        self.largest = largest
        self.taken: dict[int, int] = {}

    def take(self, size: int) -> int:
        if size > self.largest:
            return 0
        address = self.next
        self.next += size + ALIGNMENT  # regions never touch
        self.taken[address] = size
        return address

    def give_back(self, address: int, size: int) -> None:
        assert self.taken.pop(address) == size


def make(limit: int = 1 << 30, *, grow: bool = True, largest: int = 1 << 40) -> tuple[Memory, BestFitAllocator]:
    memory = Memory(largest)
    return memory, BestFitAllocator(memory.take, memory.give_back, limit=limit, grow=grow)


@settings(deadline=None)
@given(st.lists(st.one_of(st.integers(0, 3 << 20), st.integers(-20, -1)), max_size=60))
def test_pieces_never_overlap_and_lie_in_regions(steps: list[int]) -> None:
    memory, allocator = make(limit=64 << 20)
    live: list[tuple[int, int]] = []
    for step in steps:
        if step >= 0:
            address = allocator.allocate(step)
            if not address:
                continue
            assert address % ALIGNMENT == 0
            assert all(address + step <= start or start + max(size, 1) <= address for start, size in live)
            assert any(start <= address and address + step <= start + size for start, size in memory.taken.items())
            live.append((address, step))
        elif live:
            allocator.free(live.pop(step % len(live))[0])
    in_use = sum(max(1, -(-size // ALIGNMENT)) * ALIGNMENT for _, size in live)
    assert in_use <= allocator.statistics().in_use <= allocator.statistics().peak_in_use
    for address, _ in live:
        allocator.free(address)
    found = allocator.statistics()
    assert found.in_use == 0
    assert found.largest_free == max(memory.taken.values(), default=0)  # every region is one chunk again
    allocator.close()
    assert not memory.taken


def test_regions_grow_and_are_used_again() -> None:
    memory, allocator = make()
    first = allocator.allocate(100)
    assert memory.taken == {first: FIRST_REGION}
    allocator.free(first)
    assert allocator.allocate(200) == first
    allocator.allocate(FIRST_REGION)
    assert sorted(memory.taken.values()) == [FIRST_REGION, 2 * FIRST_REGION]


def test_without_growth_all_is_taken_at_once() -> None:
    memory, allocator = make(limit=10 << 20, grow=False)
    assert allocator.allocate(1)
    assert list(memory.taken.values()) == [10 << 20]
    assert allocator.allocate(20 << 20) == 0


def test_the_smallest_chunk_that_is_large_enough_is_taken() -> None:
    _, allocator = make()
    pieces = [allocator.allocate(size) for size in (1024, 256, 512, 256, 2048, 256)]
    for index in (0, 2, 4):
        allocator.free(pieces[index])
    assert allocator.allocate(500) == pieces[2]
    assert allocator.allocate(600) == pieces[0]


def test_a_device_with_less_than_is_asked_for_gives_what_it_has() -> None:
    memory, allocator = make(largest=600_000)
    assert allocator.allocate(1000)
    assert next(iter(memory.taken.values())) <= 600_000
    assert allocator.allocate(700_000) == 0


def test_what_is_not_allocated_cannot_be_freed() -> None:
    _, allocator = make()
    address = allocator.allocate(1)
    allocator.free(address)
    with pytest.raises(ValueError, match="nothing is allocated"):
        allocator.free(address)
