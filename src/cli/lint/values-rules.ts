import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { coalesceTables } from '../../chart/coalesce-tables.ts';
import { copyTable } from '../../chart/table.ts';
import { schemaProblems } from '../../chart/validate-values.ts';
import { fromBytes } from '../../go/text.ts';
import type { Value } from '../../go/value.ts';
import { readYamlMap } from '../../yaml/read.ts';
import { YamlError } from '../../yaml/yaml-error.ts';
import { logLine } from '../helm-log.ts';
import type { Report } from './finding.ts';
import type { LintOptions } from './lint-options.ts';

const file = 'values.yaml';

/** What Helm finds in a values.yaml, and in what the user gives besides: only the chart's own schema counts (pkg/chart/v2/lint/rules/values.go). */
export async function lintValues(
  folder: string,
  { values, skipSchemaValidation, log }: Pick<LintOptions, 'values' | 'skipSchemaValidation' | 'log'>,
  report: Report,
): Promise<void> {
  const data = await readOptional(join(folder, file));
  if (data === undefined) {
    report('INFO', file, 'file does not exist');
    return;
  }
  try {
    const defaults = readYamlMap(fromBytes(data)) ?? new Map<string, Value>();
    const merged = coalesceTables(copyTable(values), defaults, 'coalesce', (warning) => log(logLine('INFO', warning)));
    const schema = await readOptional(join(folder, 'values.schema.json'));
    if (schema === undefined || schema.length === 0 || skipSchemaValidation) return;
    report('ERROR', file, schemaProblems(schema, merged) || undefined);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    report('ERROR', file, `unable to parse YAML: ${error.message}`);
  }
}

async function readOptional(path: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
