import { functionMap } from '../../src/functions/function-map.ts';
import type { FunctionLimits } from '../../src/functions/limits.ts';
import type { Host } from '../../src/go/host.ts';
import { NamedMap, type Value } from '../../src/go/value.ts';
import { Execution } from '../../src/template/execute/execution.ts';
import { TemplateSet } from '../../src/template/template-set.ts';

/** A host at 2023-11-14 22:13:20.5 UTC, whose random bytes count up. */
export const fixedHost: Host = {
  now: () => 1_700_000_000_500_000_000n,
  randomBytes: (size) => Uint8Array.from({ length: size }, (_, i) => (i * 37 + 11) % 256),
  timeZone: 'UTC',
};

/** Renders a template that calls functions; `.Values` is an empty `common.Values`. */
export function runTemplate(text: string, host = fixedHost, limits?: FunctionLimits): string {
  const set = TemplateSet.parse([{ name: 't', text }], { functions: functionMap(host, limits) });
  const dot = new Map<string, Value>([['Values', new NamedMap('common.Values')]]);
  return new Execution(set, { missingKey: 'zero' }).execute('t', dot);
}
