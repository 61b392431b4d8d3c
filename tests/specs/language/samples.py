"""Specs that several tests read, and how they read them."""

from __future__ import annotations

from abigen.model.api import Api, ApiSet
from abigen.model.span import AbigenError
from abigen.model.version import Version
from abigen.specs.spec_reader import read_spec
from abigen.workspace.options import ReadOptions, SourceFile

OPTIONS = ReadOptions(targets=("x86_64-linux-gnu", "i686-linux-gnu", "x86_64-windows-msvc"))

FULL = """\
abigen: 1
api: toy
doc: |
  A toy API
  with all that the language has.
prefix: TOY
version: 1.2.0
releases: [1.0.0, 1.1.0, 1.2.0]
version_macros: [TOY_MAJOR, TOY_MINOR, TOY_PATCH]
header:
  path: toy/toy.h
  guard: TOY_TOY_H_
  reserved_names: true
  includes: [<stddef.h>, <stdint.h>, '"toy/other.h"']
  export: TOY_EXPORT
  extern: true
uses: []
python: {package: toys}
host:
  library: "{name}.so"
  files: {"{name}.conf": "{library}"}
  command: "toybox {library}"
  environment: {TOY_PATH: "{folder}"}
conventions:
  leading_fields: [size_t struct_size, {declaration: void* ext, doc: Free for extensions.}]
  filled_by: {SE_: core, SP_: plugin}
  max_alignment: 8
  unmarked: required
  sentinels: ["*_COUNT"]
  mask_member: [given]
  first_call: SE_NewGame
  last_call: SE_EndGame
  release_macro: TOY_API
  since_macro: TOY_HAS_{NAME}
  size_macro: "{WORDS}_STRUCT_SIZE"
  size_form: macro
  offset_of_end: TOY_OFFSET_OF_END
  cpp: {namespace: toys, names: {SP_Toy: Plaything}}
  errors:
    status: SE_Status
    set: SE_SetStatus
    code: SE_GetCode
    message: SE_Message
    codes:
      ok: SE_RED
      failed_precondition: SE_GREEN
      invalid_argument: SE_BLUE
      not_found: SE_GREEN
      unimplemented: SE_GREEN
      resource_exhausted: SE_GREEN
      internal: SE_GREEN
    result: {type: SE_Colour, ok: SE_RED, failed: SE_GREEN, unsupported: SE_BLUE, codes: [TOY_DIMENSIONS]}
    negative_errno: true
    null_fails: true
    returned_error: SE_Work
    last_error: {code: SE_LastCode, message: SE_LastMessage, set: SE_DeleteToy}
    except: [SE_Message]
macros:
  - {name: TOY_OFFSET_OF_END, parameters: [T, M], body: "(offsetof(T, M) + sizeof(((T*)0)->M))", guarded: true}
  - {name: TOY_MAX, parameters: [a, b], body: "((a) > (b) ? (a) : (b))", doc: The larger one., since: 1.1.0}
constants:
  - {name: TOY_DIMENSIONS, value: 8, doc: Most dimensions.}
  - {name: TOY_FLAGS, value: 0x10, since: 1.1.0, deprecated: {since: 1.2.0, use: TOY_DIMENSIONS}}
  - {name: TOY_BOOL, value: unsigned char, guarded: true}
  - {name: TOY_SOURCE, value: 1, before_includes: true}
  - {name: TOY_NAME, value: '"toy"'}
  - {name: TOY_EXPORT, value: [{if: defined(_WIN32), text: __declspec(dllexport)}, {text: ""}]}
typedefs:
  - {name: TOY_Id, type: uint64_t, doc: Names a toy.}
  - {name: TOY_Game, type: void*, defined_by: plugin, create: SE_NewGame, destroy: SE_EndGame, calls: [SE_Turn],
     begins_with: SE_Turn,
     doc: A game that goes on.}
handles:
  - {name: SP_Toy, tag: SP_Toy_st, defined_by: plugin, create: SE_NewToy, destroy: SE_DeleteToy,
     calls: [SP_Piece.finish], doc: A toy.}
  - {name: SE_Status, by_pointer: false, defined_by: core}
  - {name: SE_Hidden, typedef: false}
  - {name: SE_Work, by_pointer: false, defined_by: core, failure: SE_Fail}
callbacks:
  - {name: SE_Done, type: "void (*)(void* arg, SE_Status* status)", scope: once, retains: [arg],
     thread: any, parameters: [{name: arg, doc: As it was given., nullable: true}],
     doc: Called at the end.}
enums:
  - name: SE_Colour
    tag: SE_Colour
    typedef: true
    also: [SE_Color]
    cpp_underlying: int32_t
    doc: Colours.
    enumerators:
      - {name: SE_RED, doc: Like blood.}
      - {name: SE_GREEN, value: 5}
      - {name: SE_BLUE, value: SE_GREEN + 2, deprecated: true}
      - {name: SE_GREY, since: 1.1.0}
      - {name: SE_COLOUR_COUNT}
  - name: SE_Size
    underlying: uint8_t
    flags: true
    enumerators: [{name: SE_SMALL}, {name: SE_LARGE, value: 0x80}]
structs:
  - name: SE_Extension
    leading: [struct_size]
    next_extension: next
    fields: [{name: kind, type: SE_Colour}, {name: next, type: "SE_Extension*"}]
  - name: SE_Paint
    extension: SE_GREEN
    fields: [{name: base, type: SE_Extension}, {name: gloss, type: int32_t}]
  - name: SP_Piece
    also: [SP_Pieces]
    doc: A piece.
    leading: [struct_size, {name: ext, doc: Set by the plugin.}]
    size_macro: SP_PIECE_SIZE
    fields:
      - {name: id, type: TOY_Id, group: Identity, required: true, doc: Its name.}
      - {name: label, type: const char*, optional: true, zero: no-op, deprecated: {since: 1.2.0, use: title}}
      - {name: colours, type: "SE_Colour[TOY_DIMENSIONS]"}
      - {name: alive, type: TOY_BOOL, set_by: core}
      - {name: num_ids, type: int32_t, value: 0}
      - {name: ids, type: const TOY_Id*, count: num_ids}
      - {name: reserved0, type: void*, reserved: true}
      - {name: title, type: const char*, since: 1.1.0, zero: no-op, optional: true, replaces: label}
      - name: finish
        type: void (*)(SP_Toy toy, SE_Done done)
        since: 1.2.0
        zero: meaningful
        must_be_understood: true
  - name: TOY_Pair
    typedef: true
    versioned: false
    packed: false
    alignment: 8
    fields:
      - {name: low, type: unsigned int, bits: 3}
      - {name: high, type: unsigned int, bits: 5}
      - {name: wide, type: char, alignment: 4}
  - name: TOY_Either
    kind: union
    tag: ""
    fields: [{name: number, type: double}, {name: text, type: const char*}]
  - {name: SE_Params, size_macro: SE_PARAMS_STRUCT_SIZE, fields: [{name: pair, type: TOY_Pair}]}
  - name: SE_InitParams
    size_macro: false
    fields:
      - {name: major, type: int32_t, version_part: major}
      - {name: title, type: const char*, required: true, pattern: "[A-Z][a-z ]*", stands_for: plugin_name}
      - {name: subtitle, type: const char*, required: {when: SE_InitParams.title, unless: piece}, excludes: piece}
      - {name: piece, type: SP_Piece*, allocated_by: core, destroy: destroy_piece}
      - {name: destroy_piece, type: void (*)(SP_Piece* piece)}
functions:
  - {name: SE_NewToy, implemented_by: core, type: SP_Toy (const SP_Piece* piece), gives: [return], doc: Makes one.}
  - {name: SE_DeleteToy, implemented_by: core, type: void (SP_Toy toy), takes: [toy], export: false, deprecated: false}
  - {name: SE_InitPlugin, implemented_by: plugin, entry_point: true, declared_by: plugin,
     type: "void (SE_Params* params, SE_Status*)"}
  - {name: SE_SetStatus, implemented_by: core, type: "void (SE_Status* status, SE_Colour code, const char* message)",
     parameters: [{name: code, example: SE_GREEN}]}
  - {name: SE_GetCode, implemented_by: core, type: SE_Colour (const SE_Status* status)}
  - {name: SE_Message, implemented_by: core, type: const char* (const SE_Status* status)}
  - {name: SE_LastCode, implemented_by: core, type: int (void)}
  - {name: SE_LastMessage, implemented_by: core, type: const char* (void)}
  - {name: SE_Fail, implemented_by: core, type: "void (SE_Work* work, SE_Status* status)"}
  - {name: SE_NewGame, implemented_by: core, type: TOY_Game (void)}
  - {name: SE_Turn, implemented_by: core, found_by: SE_NewGame, type: void (TOY_Game game)}
  - {name: SE_EndGame, implemented_by: core, type: void (TOY_Game game)}
  - {name: SE_CountToys, implemented_by: core, type: "void (int* count)", outputs: [count]}
  - name: SE_Play
    implemented_by: core
    type: "void (void* (*start)(void), void (*turn)(void* game, SE_Work* work), void (*end)(void* game))"
    object: {create: start, methods: [turn], destroy: end}
  - {name: SE_Idle, implemented_by: plugin, optional: true, since: 1.1.0, type: void (void)}
  - name: SE_List
    implemented_by: plugin
    optional: true
    declared_by: plugin
    symbol: "{name}_list"
    listed_by: index
    only_if: SE_InitParams.major == TOY_DIMENSIONS or 7
    type: "const SP_Piece* (int version, int index, const char** names, int n, char** error)"
    parameters:
      - {name: version, versions: {TOY_DIMENSIONS: 1.0.0, "9": 1.2.0}}
      - {name: index, below: TOY_DIMENSIONS}
      - {name: names, count: n, ended: true, taken: false}
      - {name: error, output: true, given: true}
variables:
  - {name: SE_Table, type: SP_Piece, implemented_by: plugin, entry_point: true, optional: true, symbol: "{name}_table",
     since: 1.1.0, deprecated: true, doc: A piece of a plugin.}
verify:
  calls:
    - {function: SE_SetStatus, arguments: {message: It is late.}}
order:
  - TOY_OFFSET_OF_END
  - TOY_MAX
  - TOY_DIMENSIONS
  - TOY_FLAGS
  - TOY_BOOL
  - TOY_SOURCE
  - TOY_NAME
  - TOY_EXPORT
  - TOY_Id
  - TOY_Game
  - SE_Hidden
  - SP_Toy
  - SE_Status
  - SE_Work
  - SE_Done
  - SE_Colour
  - SE_Size
  - TOY_Pair
  - TOY_Either
  - SE_Params
  - SE_Extension
  - SE_Paint
  - SP_Piece
  - SE_InitParams
  - SE_NewToy
  - SE_DeleteToy
  - SE_InitPlugin
  - SE_SetStatus
  - SE_GetCode
  - SE_Message
  - SE_LastCode
  - SE_LastMessage
  - SE_Fail
  - SE_CountToys
  - SE_Play
  - SE_Idle
  - SE_NewGame
  - SE_Turn
  - SE_EndGame
  - SE_List
  - SE_Table
"""
"""A spec with every key of the language."""


def read_text(text: str, name: str = "toy.yaml", at: str = "") -> Api:
    """Return the API that a spec describes."""
    return read_set(text, name, at).groups[0].api


def read_set(text: str, name: str = "toy.yaml", at: str = "") -> ApiSet:
    """Return all that reading a spec gives."""
    version = Version(*(int(each) for each in at.split("."))) if at else None
    return read_spec(SourceFile(name, name, text), OPTIONS, version)


def errors_in(text: str, name: str = "toy.yaml") -> list[str]:
    """Return the errors that a spec is refused with, hints and the file's name left out; empty for a valid one."""
    try:
        read_text(text, name)
    except AbigenError as error:
        return [str(each).partition("\n")[0].removeprefix(f"{name}:") for each in error.diagnostics]
    return []
