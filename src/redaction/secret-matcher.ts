/** Replacement of a secret. */
export const redacted = '***';

/** More than the number of UTF-16 units. */
const codes = 0x10000;

/**
 * Returns a function that replaces secrets in a text, also those that overlap, in one pass: by the
 * algorithm of Aho and Corasick, whose time does not depend on the number of secrets.
 */
export function secretMatcher(secrets: readonly string[]): (text: string) => string {
  const { next, lengths } = automaton(secrets);
  return (text) => {
    const found: { start: number; end: number }[] = [];
    let state = 0;
    for (let index = 0; index < text.length; index++) {
      state = next(state, text.charCodeAt(index));
      const length = lengths[state] ?? 0;
      if (length === 0) continue;
      const end = index + 1;
      let start = end - length;
      for (let last = found.at(-1); last && last.end >= start; last = found.at(-1)) {
        start = Math.min(start, last.start);
        found.pop();
      }
      found.push({ start, end });
    }
    return withoutRanges(text, found);
  };
}

function withoutRanges(text: string, ranges: readonly { start: number; end: number }[]): string {
  let from = 0;
  const parts = ranges.map(({ start, end }) => {
    const part = text.slice(from, start) + redacted;
    from = end;
    return part;
  });
  return parts.join('') + text.slice(from);
}

/** Returns the transitions, and the length of the longest secret that ends in each state. */
function automaton(secrets: readonly string[]) {
  const children = new Map<number, number>();
  const fails = [0];
  const lengths = [0];
  const child = (state: number, code: number) => children.get(state * codes + code);

  function next(from: number, code: number): number {
    let state = from;
    let found = child(state, code);
    while (found === undefined && state !== 0) {
      state = fails[state] ?? 0;
      found = child(state, code);
    }
    return found ?? 0;
  }

  // all secrets grow together, so that a state exists before those that fall back on it
  let growing = secrets.filter((secret) => secret !== '').map((secret) => ({ secret, state: 0 }));
  for (let depth = 0; growing.length > 0; depth++) {
    for (const one of growing) {
      const code = one.secret.charCodeAt(depth);
      let state = child(one.state, code);
      if (state === undefined) {
        state = fails.length;
        const fail = one.state === 0 ? 0 : next(fails[one.state] ?? 0, code);
        children.set(one.state * codes + code, state);
        fails.push(fail);
        lengths.push(lengths[fail] ?? 0);
      }
      one.state = state;
      if (one.secret.length === depth + 1) lengths[state] = depth + 1;
    }
    growing = growing.filter(({ secret }) => secret.length > depth + 1);
  }
  return { next, lengths };
}
