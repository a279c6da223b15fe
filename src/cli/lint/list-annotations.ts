import { asTable } from '../../chart/table.ts';
import { isList } from '../../go/types.ts';
import type { Value } from '../../go/value.ts';
import { readYaml } from '../../yaml/read.ts';
import type { ObjectHead } from './object-head.ts';

const policy = 'helm.sh/resource-policy';

/** Helm does not look for its annotations inside of a List. */
export function listAnnotationProblem({ kind }: ObjectHead, text: string): string | undefined {
  if (kind !== 'List') return undefined;
  const items = field(readYaml(text), 'items');
  const isIgnored =
    isList(items) && items.some((item) => field(field(field(item, 'metadata'), 'annotations'), policy) !== null);
  return isIgnored ? `annotation '${policy}' within List objects are ignored` : undefined;
}

function field(value: Value, name: string): Value {
  return asTable(value)?.get(name) ?? null;
}
