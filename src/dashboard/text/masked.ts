/** The text in place of a secret. */
const mask = '***';

/** Names of values that are likely secret. */
const secretName = /pass|secret|token|key|credential|auth|dsn|private/i;

/** Whether a field has the name of the `value` beside it. */
function isNaming(field: string): boolean {
  return field === 'name' || field === 'key';
}

/** The deepest value that is looked into. */
const maxDepth = 100;

/**
 * Returns a value in which texts and numbers whose names say that they are secret are masked. The
 * name may also be beside a `value`, as in `env`.
 */
export function maskedValues(value: unknown, isSecret = false, depth = 0): unknown {
  if (depth > maxDepth) return '…';
  if (Array.isArray(value)) return value.map((item) => maskedValues(item, isSecret, depth + 1));
  if (typeof value === 'object' && value !== null) {
    const fields: [string, unknown][] = Object.entries(value);
    const isPair = fields.some(([name, item]) => isNaming(name) && secretName.test(String(item)));
    const entries = fields.map(([name, item]) => [
      name,
      maskedValues(item, isSecret || secretName.test(name) || (isPair && name === 'value'), depth + 1),
    ]);
    return Object.fromEntries(entries) as unknown;
  }
  return isSecret && (typeof value === 'string' || typeof value === 'number') && value !== '' ? mask : value;
}

/** Any form in which YAML names the kind of a Secret, or of a list of them. */
const mentionsSecret = /kind["']?\s*:\s*["']?Secret(?:List)?\b/;

/** A document that is a Secret as templates write it, with each field on a line of its own. */
const plainSecret = /^kind: ["']?Secret["']?[ \t\r]*$/m;

/**
 * Returns the lines of a manifest with the data of Secrets masked, and each `value` beside a name
 * that says that it is secret. What is written in another way than usual is left out.
 */
export function maskedManifest(lines: readonly string[]): string[] {
  const documents: string[][] = [[]];
  for (const line of lines) {
    if (/^---(?:\s|$)/.test(line)) documents.push([line]);
    else documents.at(-1)?.push(line);
  }
  return documents.flatMap((document) => maskedPairs(maskedFlows(maskedDocument(document))));
}

function maskedDocument(lines: readonly string[]): readonly string[] {
  const text = lines.join('\n');
  if (!mentionsSecret.test(text)) return lines;
  const [first = ''] = lines;
  const start = first.startsWith('---') ? [first] : [];
  if (!plainSecret.test(text)) return [...start, `# a Secret: ${mask}`];
  let isData = false;
  return lines.flatMap((line) => {
    const [, field] = /^["']?([\w.-]+)["']?\s*:/.exec(line) ?? [];
    if (field !== undefined) isData = field === 'data' || field === 'stringData';
    if (!isData) return [line];
    if (field !== undefined) return [/:\s*$/.test(line) ? line : `${field}: ${mask}`];
    // further lines of a value are left out
    const [, name] = /^( {1,8}["']?[\w./-]+["']?\s*:)(?:\s|$)/.exec(line) ?? [];
    return name === undefined ? [] : [`${name} ${mask}`];
  });
}

/** A field of a mapping in block style: what is before its name, the name, and the rest. */
const fieldLine = /^((?:-(?= )| )*)["']?([\w.][\w.-]*)["']?\s*:(.*)$/;

/** A mapping in block style whose end has not come yet. */
interface OpenMapping {
  readonly column: number;
  /** Whether the last field names the value. */
  isNaming: boolean;
  isSecret: boolean;
  /** The lines where each `value` begins, and those after it; the last one may still be open. */
  readonly values: { from: number; to?: number }[];
}

/** Masks each `value` in block style beside a name that says that it is secret. */
function maskedPairs(lines: readonly string[]): string[] {
  const open: OpenMapping[] = [];
  const ends = new Map<number, number>();
  const endField = ({ values }: OpenMapping, at: number) => {
    const last = values.at(-1);
    if (last) last.to ??= at;
  };
  /** Ends the mappings that are to the right of a column. */
  const endMappings = (column: number, at: number) => {
    for (let last = open.at(-1); last && last.column > column; last = open.at(-1)) {
      endField(last, at);
      if (last.isSecret) for (const { from, to = at } of last.values) ends.set(from, to);
      open.pop();
    }
  };
  for (const [at, line] of lines.entries()) {
    const indent = line.search(/\S/);
    if (indent < 0 || line[indent] === '#') continue;
    endMappings(indent, at);
    const [, before, field = '', rest = line] = fieldLine.exec(line) ?? [];
    if (before !== undefined && open.at(-1)?.column !== before.length)
      open.push({ column: before.length, isNaming: false, isSecret: false, values: [] });
    const mapping = open.at(-1);
    if (!mapping) continue;
    if (before !== undefined) {
      endField(mapping, at);
      mapping.isNaming = isNaming(field);
      if (field === 'value') mapping.values.push({ from: at });
    }
    if (mapping.isNaming && secretName.test(rest)) mapping.isSecret = true;
  }
  endMappings(-1, lines.length);
  const shown: string[] = [];
  for (let at = 0; at < lines.length; at = ends.get(at) ?? at + 1) {
    const line = lines[at] ?? '';
    shown.push(ends.has(at) ? `${line.slice(0, line.indexOf(':'))}: ${mask}` : line);
  }
  return shown;
}

/** Masks each collection in flow style with such a pair: all of it. */
function maskedFlows(lines: readonly string[]): string[] {
  const shown: string[] = [];
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? '';
    const indent = line.search(/\S/);
    let end = at + 1;
    const isFlow = /\{\s*["'\w]/.test(line);
    while (isFlow && end < lines.length && (lines[end] ?? '').search(/\S/) > indent) end += 1;
    const whole = lines.slice(at, end);
    if (isFlow && hasSecretPair(whole.join('\n'))) shown.push(line.slice(0, line.search(/[[{]/)) + mask);
    else shown.push(...whole);
    at = end;
  }
  return shown;
}

function hasSecretPair(text: string): boolean {
  if (!/[{,]\s*["']?value["']?\s*:/.test(text)) return false;
  const names = text.matchAll(/[{,]\s*["']?(?:name|key)["']?\s*:([^,}]*)/g);
  return [...names].some(([, name = '']) => secretName.test(name));
}
