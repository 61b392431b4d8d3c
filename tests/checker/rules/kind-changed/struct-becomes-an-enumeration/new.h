// One finding for the name, although it is both a tag and a typedef. Should trigger.
#ifndef EXAMPLE_STRUCT_BECOMES_AN_ENUMERATION_H_
#define EXAMPLE_STRUCT_BECOMES_AN_ENUMERATION_H_

typedef enum CargoKind { CARGO_BULK, CARGO_BOX } CargoKind;

void cargo_load(CargoKind kind);

#endif  // EXAMPLE_STRUCT_BECOMES_AN_ENUMERATION_H_
