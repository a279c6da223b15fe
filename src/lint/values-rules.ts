import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { coalesceTables } from '../chart/values/coalesce-tables.ts';
import { copyTable } from '../chart/values/table.ts';
import { schemaProblems } from '../chart/values/validate-values.ts';
import { codeOf, isMissing } from '../errors/index.ts';
import { fromBytes } from '../go/text.ts';
import type { Value, ValueMap } from '../go/value.ts';
import { readYamlMap } from '../yaml/read.ts';
import { YamlError } from '../yaml/yaml-error.ts';
import type { Report } from './finding.ts';
import type { LintOptions } from './lint-options.ts';

const file = 'values.yaml';

/**
 * Lints values.yaml together with the user's values. Only the chart's own schema is used
 * (pkg/chart/v2/lint/rules/values.go).
 */
export async function lintValues(
  folder: string,
  { values, skipSchemaValidation, helm }: Pick<LintOptions, 'values' | 'skipSchemaValidation' | 'helm'>,
  report: Report,
): Promise<void> {
  const path = join(folder, file);
  const data = await readOptional(path);
  if (data === undefined) {
    report('INFO', file, 'file does not exist');
    return;
  }
  if (data === 'folder') {
    report('ERROR', file, `unable to parse YAML: read ${path}: is a directory`);
    return;
  }
  try {
    const defaults = readValues(fromBytes(data));
    const merged = coalesceTables(copyTable(values), defaults, 'coalesce', helm.warn);
    const schema = await readOptional(join(folder, 'values.schema.json'));
    if (schema === undefined || schema === 'folder' || schema.length === 0 || skipSchemaValidation) return;
    report('ERROR', file, schemaProblems(schema, merged) || undefined);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    report('ERROR', file, `unable to parse YAML: ${error.message}`);
  }
}

function readValues(text: string): ValueMap {
  try {
    return readYamlMap(text) ?? new Map<string, Value>();
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new YamlError(error.message.replace(/ map\[string\]interface \{\}$/, ' common.Values'), error.line);
  }
}

async function readOptional(path: string): Promise<Uint8Array | 'folder' | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (codeOf(error) === 'EISDIR') return 'folder';
    if (isMissing(error)) return undefined;
    throw error;
  }
}
