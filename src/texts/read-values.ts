import { loadValues } from '../chart/values/load-values.ts';
import { GoError, type ValueMap } from '../go/value.ts';
import { valueMapOfPlain } from '../release/plain-value.ts';
import type { ReleaseValues } from '../render/release-renderer.ts';
import { YamlError } from '../yaml/yaml-error.ts';
import { TextError } from './text-error.ts';

/** Reads values. Throws TextError `values_invalid` with the line. */
export function readValues(values: ReleaseValues): ValueMap {
  const given = parseValues(values.yaml ?? '');
  return given.size === 0 ? valueMapOfPlain(values.stored ?? {}) : given;
}

function parseValues(yaml: string): ValueMap {
  try {
    return loadValues(yaml);
  } catch (error) {
    if (!(error instanceof YamlError) && !(error instanceof GoError)) throw error;
    const line = error instanceof YamlError ? error.line : undefined;
    const position = { file: 'values', ...(line !== undefined && { line }) };
    throw new TextError('values_invalid', `values: give a YAML mapping: ${error.message}`, position, error);
  }
}
