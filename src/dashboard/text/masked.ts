/** The text in place of a secret. */
const mask = '***';

/** Names of values that are likely secret. */
const secretName = /pass|secret|token|key|credential|auth|dsn|private/i;

/** The deepest value that is looked into. */
const maxDepth = 100;

/** Returns a value in which texts and numbers whose names say that they are secret are masked. */
export function maskedValues(value: unknown, isSecret = false, depth = 0): unknown {
  if (depth > maxDepth) return '…';
  if (Array.isArray(value)) return value.map((item) => maskedValues(item, isSecret, depth + 1));
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([name, item]: [string, unknown]) => [
      name,
      maskedValues(item, isSecret || secretName.test(name), depth + 1),
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
 * Returns the lines of a manifest with the data of Secrets masked. A Secret that is written in
 * another way than usual is left out.
 */
export function maskedManifest(lines: readonly string[]): string[] {
  const documents: string[][] = [[]];
  for (const line of lines) {
    if (/^---(?:\s|$)/.test(line)) documents.push([line]);
    else documents.at(-1)?.push(line);
  }
  return documents.flatMap(maskedDocument);
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
