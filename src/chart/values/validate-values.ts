import { sprintf } from '../../go/fmt.ts';
import { decodeJsonPrefix } from '../../go/json-decode.ts';
import { LimitError } from '../../go/limit-error.ts';
import { quote } from '../../go/strconv.ts';
import { fromBytes } from '../../go/text.ts';
import { goTypeOf } from '../../go/types.ts';
import type { Value, ValueMap } from '../../go/value.ts';
import { GoError } from '../../go/value.ts';
import type { Chart } from '../chart.ts';
import type { RemoteSchemas, SchemaCache } from '../schema/compile-schema.ts';
import { compileSchema } from '../schema/compile-schema.ts';
import { failureLines } from '../schema/failure.ts';
import type { Schema } from '../schema/schema.ts';
import { validate } from '../schema/validate.ts';
import { asTable } from './table.ts';
import { ValuesError } from './values-error.ts';

/** Options for validating values against schemas. */
export interface SchemaOptions {
  /** Cache of compiled schemas. Default: none. */
  schemas?: SchemaCache | undefined;
  /**
   * Texts of schemas that values.schema.json may reference, by URL. Default: none; nothing is ever
   * downloaded.
   */
  remote?: Readonly<Record<string, string>> | undefined;
}

/**
 * Validates coalesced values against values.schema.json of a chart and its subcharts. Throws {@link
 * ValuesError} with Helm's text, which names all charts with invalid values
 * (pkg/chart/common/util/jsonschema.go).
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

/** Parses JSON as Go's `json.Decoder` does. */
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

/**
 * Validates values against one schema. Returns Helm's message, or an empty string if they are
 * valid.
 */
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
