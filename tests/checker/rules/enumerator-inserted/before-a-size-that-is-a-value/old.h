// A size may be a value like any other: alone at the end, before the number of them, or about something of its own.
#pragma once

enum ToyField { TOY_FIELD_NAME, TOY_FIELD_SIZE };
enum ToyProperty { TOY_PROPERTY_NAME, TOY_PROPERTY_SIZE, TOY_PROPERTY_COUNT };
enum ToyTable { TOY_TABLE_NAME, TOY_TABLE_ROW_COUNT, TOY_TABLE_ROW_SIZE };
enum ToyQuery {
  TOY_QUERY_NAME,
  TOY_QUERY_ROWS  // Number of rows, the last one included.
};

int toy_ask(enum ToyField field, enum ToyProperty property, enum ToyTable table, enum ToyQuery query);
