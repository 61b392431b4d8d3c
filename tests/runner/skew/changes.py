"""Random changes of random APIs: what the verdicts of `abigen diff` are tried with."""

from __future__ import annotations

import re
from copy import deepcopy

from tests.runner.skew.worlds import BITS, SCALARS, Aggregate, Member, World, WorldMaker


class Maker(WorldMaker):
    """Draws worlds and changes."""

    def changed(self, world: World) -> tuple[World, list[str]]:
        """Return another state of an API, after one to three changes, and what they were."""
        new, told = deepcopy(world), []
        for _ in range(self.random.choice((1, 1, 1, 2, 2, 3, 5))):
            for _ in range(20):
                change = self.random.choice(CHANGES)
                if change(self, new):
                    told.append(change.__name__)
                    break
            if told[-1:] == ["flexible"]:
                break  # nothing may come behind it
        return new, told

    # Each change below says whether it could be made.

    def members_of(self, world: World) -> tuple[Aggregate, list[Member]]:
        """Return the members of a random struct, or of a group in it."""
        aggregate = self.random.choice(world.aggregates)
        lists = [aggregate.members]
        for members in lists:
            lists += [each.members for each in members if each.kind == "group"]
        return aggregate, self.random.choice(lists)

    def place(self, aggregate: Aggregate, members: list[Member], *, new: bool = False) -> int:
        """Return a random place in a list of members; never that of the struct's size. -1 where there is none."""
        first = 1 if members is aggregate.members and aggregate.is_versioned else 0
        last = len(members) - (0 if new else 1)
        return self.random.randint(first, last) if first <= last else -1

    def insert(self, world: World) -> bool:
        aggregate, members = self.members_of(world)
        made = self.member(world, 2)
        if any(aggregate.name in each.text("") for each in (made,)) or made.kind == "named":
            made = Member("scalar", world.new_name(), self.random.choice(SCALARS))
        members.insert(self.place(aggregate, members, new=True), made)
        return True

    def append(self, world: World) -> bool:
        aggregate = self.random.choice(world.aggregates)
        aggregate.members.append(Member("scalar", world.new_name(), self.random.choice(SCALARS)))
        return True

    def remove(self, world: World) -> bool:
        aggregate, members = self.members_of(world)
        at = self.place(aggregate, members)
        if at < 0 or len(members) < 2 or (at == 1 and len(members) == 2 and aggregate.is_versioned):
            return False
        del members[at]
        return True

    def move(self, world: World) -> bool:
        aggregate, members = self.members_of(world)
        source, target = self.place(aggregate, members), self.place(aggregate, members)
        if source < 0 or source == target:
            return False
        members.insert(target, members.pop(source))
        return True

    def rename(self, world: World) -> bool:
        aggregate, members = self.members_of(world)
        at = self.place(aggregate, members)
        if at < 0 or not members[at].name:
            return False
        members[at].name = world.new_name()
        return True

    def retype(self, world: World) -> bool:
        aggregate, members = self.members_of(world)
        at = self.place(aggregate, members)
        if at < 0 or members[at].kind != "scalar":
            return False
        members[at].type = self.random.choice(self.storable(world))
        return True

    def replace_member(self, world: World) -> bool:
        """Return another kind of member under the same name."""
        aggregate, members = self.members_of(world)
        at = self.place(aggregate, members)
        if at < 0 or not members[at].name:
            return False
        made = self.member(world, 2)
        if made.kind == "named" or not made.name:
            return False
        made.name, members[at] = members[at].name, made
        return True

    def rename_type(self, world: World) -> bool:
        """Return another name of a struct, wherever it is used."""
        aggregate = self.random.choice(world.aggregates)
        old, aggregate.name = aggregate.name, f"{aggregate.name}{world.new_name()}"
        lists = [each.members for each in world.aggregates]
        for members in lists:
            lists += [each.members for each in members if each.kind == "group"]
            for each in members:
                each.type = aggregate.name if each.type == old else each.type
        for name, (result, parameters) in world.functions.items():
            world.functions[name] = result, [re.sub(rf"\b{old}\b", aggregate.name, each) for each in parameters]
        return True

    def move_out(self, world: World) -> bool:
        """Return members of a struct go into a new one, which stands in their place, or at the end."""
        at = self.random.randrange(len(world.aggregates))
        aggregate = world.aggregates[at]
        first = 1 if aggregate.is_versioned else 0
        if len(aggregate.members) < first + 2:
            return False
        start = self.random.randint(first, len(aggregate.members) - 2)
        end = self.random.randint(start + 1, len(aggregate.members) - (0 if first else 1))
        name = f"XX_C{world.number}_N{world.new_name()}"
        part = Aggregate(name, "struct", aggregate.members[start:end])
        aggregate.members[start:end] = [Member("named", world.new_name(), name)]
        if self.some(0.2):
            aggregate.members.append(aggregate.members.pop(start))
        world.aggregates.insert(at, part)
        return any(each.name for each in part.members)

    def resize_array(self, world: World) -> bool:
        aggregate, members = self.members_of(world)
        at = self.place(aggregate, members)
        if at < 0 or members[at].kind in ("bits", "callback") or not members[at].name:
            return False
        lengths = members[at].lengths
        if lengths and self.some(0.5):
            lengths[0] = str(self.random.randint(1, 5))
        elif lengths and self.some(0.5):
            lengths.pop()
        else:
            lengths.append(str(self.random.randint(1, 4)))
        return True

    def change_length(self, world: World) -> bool:
        name = self.random.choice(list(world.lengths))
        world.lengths[name] = self.random.randint(1, 7)
        return True

    def rewidth(self, world: World) -> bool:
        _, members = self.members_of(world)
        found = [each for each in members if each.kind == "bits" and each.name]
        if not found:
            return False
        chosen = self.random.choice(found)
        if self.some(0.3):
            chosen.type = self.random.choice(sorted(BITS))
        chosen.width = self.random.randint(1, BITS[chosen.type])
        return True

    def unnamed_bits(self, world: World) -> bool:
        aggregate, members = self.members_of(world)
        width = self.random.choice((0, 0, 3, 9))
        members.insert(
            self.place(aggregate, members, new=True),
            Member("bits", "", self.random.choice(("int", "char")), width=min(width, 8)),
        )
        return True

    def group_members(self, world: World) -> bool:
        aggregate, members = self.members_of(world)
        at = self.place(aggregate, members)
        if at < 0:
            return False
        count = self.random.randint(1, min(3, len(members) - at))
        if not any(each.name for each in members[at : at + count]):
            return False
        members[at : at + count] = [self.group(world, members[at : at + count])]
        return True

    def open_group(self, world: World) -> bool:
        _, members = self.members_of(world)
        found = [at for at, each in enumerate(members) if each.kind == "group"]
        if not found:
            return False
        at = self.random.choice(found)
        members[at : at + 1] = members[at].members
        return True

    def other_kind(self, world: World) -> bool:
        aggregate, members = self.members_of(world)
        found = [each for each in members if each.kind == "group"]
        if found and self.some(0.8):
            chosen = self.random.choice(found)
            chosen.keyword = "union" if chosen.keyword == "struct" else "struct"
        elif not aggregate.is_versioned:
            aggregate.keyword = "union" if aggregate.keyword == "struct" else "struct"
        else:
            return False
        return True

    def name_group(self, world: World) -> bool:
        _, members = self.members_of(world)
        found = [each for each in members if each.kind == "group"]
        if not found:
            return False
        chosen = self.random.choice(found)
        chosen.name, chosen.lengths = ("" if chosen.name else world.new_name()), []
        return True

    def pack(self, world: World) -> bool:
        aggregate, members = self.members_of(world)
        if self.some(0.3):
            aggregate.pack = self.random.choice([0, 1, 2, 4, 8])
            return True
        found = [each for each in members if each.kind in ("group", "scalar") and each.name != "struct_size"]
        attribute = self.random.choice(["packed", "aligned(2)", "aligned(8)", "aligned(16)", "packed, aligned(4)"])
        if found and self.some(0.6):
            chosen = self.random.choice(found)
            chosen.attributes = [] if chosen.attributes else [attribute]
        else:
            aggregate.attributes = [] if aggregate.attributes else [attribute]
        return True

    def toggle_const(self, world: World) -> bool:
        _, members = self.members_of(world)
        found = [each for each in members if each.kind in ("scalar", "pointer") and each.name != "struct_size"]
        if not found:
            return False
        chosen = self.random.choice(found)
        chosen.is_const = not chosen.is_const
        return True

    def retarget(self, world: World) -> bool:
        if not world.typedefs:
            return False
        name = self.random.choice(list(world.typedefs))
        if "[" in world.typedefs[name] or "(*" in world.typedefs[name]:
            return False
        world.typedefs[name] = self.random.choice(SCALARS)
        return True

    def recall(self, world: World) -> bool:
        """Return another signature of a callback."""
        _, members = self.members_of(world)
        found = [each for each in members if each.kind == "callback"]
        if not found:
            return False
        self.random.choice(found).type = self.callback(world)
        return True

    def pack_enum(self, world: World) -> bool:
        if not world.enums:
            return False
        world.packed ^= {self.random.choice(list(world.enums))}
        return True

    def drop_size(self, world: World) -> bool:
        """Return the member with the struct's size goes, comes, or is called otherwise."""
        aggregate = self.random.choice(world.aggregates)
        if not aggregate.is_versioned or self.some(0.7) or len(aggregate.members) < 2:
            return False
        aggregate.is_versioned = False
        if self.some(0.5):
            del aggregate.members[0]
        else:
            aggregate.members[0].type = "uint32_t"
        return True

    def flexible(self, world: World) -> bool:
        """Return an array without a length at the end comes, or becomes one."""
        used = {each.type for one in world.aggregates for each in one.members}
        aggregate = self.random.choice(world.aggregates)
        if aggregate.name in used or aggregate.keyword == "union" or aggregate.has_constant:
            return False
        aggregate.members.append(Member("scalar", world.new_name(), self.random.choice(SCALARS), [""]))
        return True

    def revalue(self, world: World) -> bool:
        if not world.enums:
            return False
        name = self.random.choice(list(world.enums))
        values = world.enums[name]
        at = self.random.randrange(len(values))
        new = f"{name}_n{world.new_name()}"
        match self.random.randrange(5):
            case 0:
                values[at] = values[at][0], self.random.choice((1, 7, 100, -1, -5, 1 << 33))
            case 1:
                values.insert(at, (new, None))
            case 2:
                values.append((new, self.random.choice((None, None, -1, 1000, 1 << 32))))
            case 3 if len(values) > 1:
                del values[at]
            case _:
                values[at] = new, values[at][1]
        return True

    def use_reserved(self, world: World) -> bool:
        _, members = self.members_of(world)
        found = [each for each in members if each.name.startswith("reserved")]
        if not found:
            return False
        self.random.choice(found).name = world.new_name()
        return True

    def resign(self, world: World) -> bool:
        """Change a function or a callback."""
        if not world.functions:
            return False
        name = self.random.choice(list(world.functions))
        parameters = world.functions[name][1]
        match self.random.randrange(4):
            case 0:
                parameters.insert(self.random.randint(0, len(parameters)), self.parameter(world))
            case 1 if parameters:
                parameters.pop(self.random.randrange(len(parameters)))
            case 2 if parameters:
                parameters[self.random.randrange(len(parameters))] = self.parameter(world)
            case _:
                world.functions[name] = self.random.choice(["void", *self.by_value(world)]), parameters
        return True


CHANGES = (
    Maker.insert,
    Maker.insert,
    Maker.append,
    Maker.append,
    Maker.remove,
    Maker.move,
    Maker.move,
    Maker.rename,
    Maker.retype,
    Maker.retype,
    Maker.resize_array,
    Maker.change_length,
    Maker.rewidth,
    Maker.unnamed_bits,
    Maker.group_members,
    Maker.group_members,
    Maker.open_group,
    Maker.other_kind,
    Maker.name_group,
    Maker.pack,
    Maker.pack,
    Maker.toggle_const,
    Maker.retarget,
    Maker.revalue,
    Maker.revalue,
    Maker.use_reserved,
    Maker.resign,
    Maker.replace_member,
    Maker.rename_type,
    Maker.move_out,
    Maker.recall,
    Maker.pack_enum,
    Maker.drop_size,
    Maker.flexible,
)
