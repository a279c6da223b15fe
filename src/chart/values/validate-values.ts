import { decodeJsonPrefix } from '../../go/json-decode.ts';
import { sprintf } from '../../go/fmt.ts';
import { LimitError } from '../../go/limit-error.ts';
import { goTypeOf } from '../../go/types.ts';
import { quote } from '../../go/strconv.ts';
import { fromBytes } from '../../go/text.ts';
import { GoError } from '../../go/value.ts';
import type { Value, ValueMap } from '../../go/value.ts';
import type { Chart } from '../chart.ts';
import { compileSchema } from '../schema/compile-schema.ts';
import type { RemoteSchemas, SchemaCache } from '../schema/compile-schema.ts';
import { failureLines } from '../schema/failure.ts';
import type { Schema } from '../schema/schema.ts';
import { validate } from '../schema/validate.ts';
import { asTable } from './table.ts';
import { ValuesError } from './values-error.ts';

/** How values are held against schemas. */
export interface SchemaOptions {
  /** What was compiled before, and is kept. Default: nothing, and nobody keeps it. */
  schemas?: SchemaCache | undefined;
  /** Texts of schemas by address that values.schema.json may refer to. Default: none; nothing is ever fetched. */
  remote?: Readonly<Record<string, string>> | undefined;
}

/**
 * Checks coalesced values against the values.schema.json of a chart and of its subcharts. Throws {@link ValuesError} with Helm's text, which names all
 * charts whose values do not fit (pkg/chart/common/util/jsonschema.go).
 */
export function validateValues(chart: Chart, values: ValueMap, options: SchemaOptions = {}): void {
  const problems = problemsOf(chart, values, options);
  if (problems !== '') {
    throw new ValuesError(
      `values don't meet the specifications of the schema(s) in the following chart(s):\n${problems}`,
    );
  }
}

function problemsOf(chart: Chart, values: ValueMap, options: SchemaOptions): string {
  const own = chart.schema === undefined ? '' : schemaProblems(chart.schema, values, options);
  let problems = own === '' ? '' : `${chart.metadata.name}:\n${own}`;
  for (const child of chart.dependencies) {
    const { name } = child.metadata;
    const below = values.get(name) ?? null;
    if (below === null) continue;
    const table = asTable(below);
    problems +=
      table === undefined
        ? sprintf('%s:\ninvalid type for values: expected object (map), got %s\n', [name, goTypeOf(below)])
        : problemsOf(child, table, options);
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

function readRemote(url: string, text: string): Value {
  try {
    return readSchema(text);
  } catch (error) {
    if (!(error instanceof GoError)) throw error;
    throw new ValuesError(`failing loading ${quote(url)}: ${error.message}`);
  }
}

function compiled(text: string, { schemas = new Map<string, Schema>(), remote = {} }: SchemaOptions): Schema {
  const others = Object.entries(remote);
  const key = others.length === 0 ? text : JSON.stringify([text, others]);
  const known = schemas.get(key);
  if (known !== undefined) return known;
  const documents: RemoteSchemas = new Map(others.map(([url, other]) => [url, readRemote(url, other)]));
  const schema = compileSchema(readSchema(text), schemas, documents);
  schemas.set(key, schema, key.length);
  return schema;
}

/** What is wrong with the values by one schema, in Helm's words; empty where nothing is. */
export function schemaProblems(schema: Uint8Array, values: ValueMap, options: SchemaOptions = {}): string {
  try {
    const failure = validate(compiled(fromBytes(schema), options), values);
    return failure === undefined ? '' : failureLines(failure);
  } catch (error) {
    if (error instanceof LimitError) throw new LimitError(`values.schema.json: ${error.message}`, 'values.schema.json');
    if (error instanceof ValuesError || error instanceof GoError) return error.message;
    throw error;
  }
}
