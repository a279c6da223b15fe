import { decodeJsonPrefix } from '../go/json-decode.ts';
import { sprintf } from '../go/fmt.ts';
import { LimitError } from '../go/limit-error.ts';
import { goTypeOf } from '../go/types.ts';
import { fromBytes } from '../go/text.ts';
import { GoError } from '../go/value.ts';
import type { Value, ValueMap } from '../go/value.ts';
import type { Chart } from './chart.ts';
import { compileSchema } from './schema/compile-schema.ts';
import type { SchemaCache } from './schema/compile-schema.ts';
import { failureLines } from './schema/failure.ts';
import type { Schema } from './schema/schema.ts';
import { validate } from './schema/validate.ts';
import { asTable } from './table.ts';
import { ValuesError } from './values-error.ts';

/**
 * Checks coalesced values against the values.schema.json of a chart and of its subcharts. Throws {@link ValuesError} with Helm's text, which names all
 * charts whose values do not fit (pkg/chart/common/util/jsonschema.go).
 */
export function validateValues(chart: Chart, values: ValueMap, schemas: SchemaCache = new Map<string, Schema>()): void {
  const problems = problemsOf(chart, values, schemas);
  if (problems !== '') {
    throw new ValuesError(
      `values don't meet the specifications of the schema(s) in the following chart(s):\n${problems}`,
    );
  }
}

function problemsOf(chart: Chart, values: ValueMap, schemas: SchemaCache): string {
  const own = chart.schema === undefined ? '' : schemaProblems(chart.schema, values, schemas);
  let problems = own === '' ? '' : `${chart.metadata.name}:\n${own}`;
  for (const child of chart.dependencies) {
    const { name } = child.metadata;
    const below = values.get(name) ?? null;
    if (below === null) continue;
    const table = asTable(below);
    problems +=
      table === undefined
        ? sprintf('%s:\ninvalid type for values: expected object (map), got %s\n', [name, goTypeOf(below)])
        : problemsOf(child, table, schemas);
  }
  return problems;
}

/** As Go's `json.Decoder` reads it. */
function readSchema(text: string): Value {
  if (/^[\t\n\r ]*$/.test(text)) throw new GoError('EOF');
  const { value, rest } = decodeJsonPrefix(text);
  if (/[^\t\n\r ]/.test(rest)) throw new GoError('invalid character after top-level value');
  return value;
}

function compiled(text: string, schemas: SchemaCache): Schema {
  const known = schemas.get(text);
  if (known !== undefined) return known;
  const schema = compileSchema(readSchema(text), schemas);
  schemas.set(text, schema, text.length);
  return schema;
}

/** What is wrong with the values by one schema, in Helm's words; empty where nothing is. */
export function schemaProblems(
  schema: Uint8Array,
  values: ValueMap,
  schemas: SchemaCache = new Map<string, Schema>(),
): string {
  try {
    const failure = validate(compiled(fromBytes(schema), schemas), values);
    return failure === undefined ? '' : failureLines(failure);
  } catch (error) {
    if (error instanceof LimitError) throw new LimitError(`values.schema.json: ${error.message}`, 'values.schema.json');
    if (error instanceof ValuesError || error instanceof GoError) return error.message;
    throw error;
  }
}
