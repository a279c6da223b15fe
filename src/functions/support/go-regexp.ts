import { RE2JS, RE2JSSyntaxException } from 're2js';
import { normalize } from '../../go/text.ts';
import { GoError, Slice } from '../../go/value.ts';
import { checkElements, type FunctionLimits } from '../limits.ts';
import { grownCapacity, withCapacity, withExactCapacity } from './capacity.ts';

/**
 * Start and end of the match, followed by start and end of each group; -1 if a group did not
 * participate.
 */
type Match = readonly number[];

/**
 * Returns the text of a group of the current match, by name or number. Returns an empty string if
 * it did not match.
 */
export type GroupText = (group: string | number) => string;

/** Go's `regexp.Regexp` on re2js: the same matches, in linear time. */
export class GoRegexp {
  readonly #compiled: RE2JS;
  /** Group numbers by name. */
  readonly #groups: ReadonlyMap<string, readonly number[]>;
  readonly #isEmpty: boolean;

  /** Throws Go's error if the pattern is invalid. */
  constructor(pattern: string) {
    const { distinct, original } = withDistinctNames(pattern);
    this.#compiled = compile(distinct, original);
    this.#groups = numbersByName(this.#compiled.namedGroups(), original);
    this.#isEmpty = pattern === '';
  }

  matches(text: string): boolean {
    return this.#compiled.test(text);
  }

  /** Returns the first match, or an empty string if there is none. */
  find(text: string): string {
    const match = this.#matchFrom(text, 0);
    return match === undefined ? '' : textOf(text, match);
  }

  /** Returns where the first match begins, or -1 if there is none. */
  indexIn(text: string): number {
    return this.#matchFrom(text, 0)?.[0] ?? -1;
  }

  /** Returns all matches, or at most `count` if `count` is not negative. */
  findAll(text: string, count: number, limits: FunctionLimits): string[] {
    return this.#allMatches(text, count, limits).map((match) => textOf(text, match));
  }

  /** Returns the text with each match replaced by the result of `replacement`. */
  replaceAll(text: string, replacement: (group: GroupText) => string): string {
    let [replaced, lastEnd, from] = ['', 0, 0];
    while (from <= text.length) {
      const match = this.#matchFrom(text, from);
      if (match === undefined) break;
      const [start = 0, end = 0] = match;
      replaced += text.slice(lastEnd, start);
      if (end > lastEnd || start === 0) {
        replaced += replacement((name) =>
          groupText(text, match, typeof name === 'number' ? [name] : this.#groups.get(name)),
        );
      }
      lastEnd = end;
      from = Math.max(end, from + characterLength(text, from));
    }
    return replaced + text.slice(lastEnd);
  }

  /**
   * Returns the text between matches: all pieces, or at most `count` if `count` is not negative.
   */
  split(text: string, count: number, limits: FunctionLimits): Slice {
    if (count === 0) return new Slice('string', null);
    if (!this.#isEmpty && text === '') return withExactCapacity(new Slice('string', ['']));
    const matches = this.#allMatches(text, count, limits);
    const pieces: string[] = [];
    let [start, end] = [0, 0];
    for (const [matchStart = 0, matchEnd = 0] of matches) {
      if (count > 0 && pieces.length === count - 1) break;
      end = matchStart;
      if (matchEnd !== 0) pieces.push(text.slice(start, end));
      start = matchEnd;
    }
    if (end !== text.length) pieces.push(text.slice(start));
    return withCapacity(new Slice('string', pieces), grownCapacity(matches.length, pieces.length, 'string'));
  }

  #allMatches(text: string, count: number, limits: FunctionLimits): Match[] {
    const matches: Match[] = [];
    let [from, previousEnd] = [0, -1];
    while (from <= text.length && (count < 0 || matches.length < count)) {
      const match = this.#matchFrom(text, from);
      if (match === undefined) break;
      const [start = 0, end = 0] = match;
      const emptyBesidePrevious = end === from && start === previousEnd;
      from = end === from ? from + characterLength(text, from) : end;
      previousEnd = end;
      if (!emptyBesidePrevious) matches.push(match);
      checkElements(matches.length, limits);
    }
    return matches;
  }

  #matchFrom(text: string, from: number): Match | undefined {
    const matcher = this.#compiled.matcher(text);
    if (!matcher.find(from)) return undefined;
    return Array.from({ length: matcher.groupCount() + 1 }, (_, group) => [
      matcher.start(group),
      matcher.end(group),
    ]).flat();
  }
}

interface DistinctNames {
  /** The pattern with a unique name for each group. */
  readonly distinct: string;
  /** Original names of the renamed groups. */
  readonly original: ReadonlyMap<string, string>;
}

const partOfPattern = /\\Q.*?(?:\\E|$)|\\.|\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*(?:\]|$)|\(\?P?<(\w+)>/gs;

/** Go allows groups to share a name, RE2JS does not. */
function withDistinctNames(pattern: string): DistinctNames {
  const original = new Map<string, string>();
  if (!/\(\?P?<(\w+)>.*\(\?P?<\1>/s.test(pattern)) return { distinct: pattern, original };
  const seen = new Set<string>();
  const distinct = pattern.replace(partOfPattern, (part, name: string | undefined) => {
    if (name === undefined) return part;
    if (!seen.has(name)) {
      seen.add(name);
      return part;
    }
    let other = name;
    while (seen.has(other) || pattern.includes(`<${other}>`)) other += '_';
    seen.add(other);
    original.set(other, name);
    return part.replace(`<${name}>`, `<${other}>`);
  });
  return { distinct, original };
}

function numbersByName(
  named: Readonly<Record<string, number>>,
  original: ReadonlyMap<string, string>,
): ReadonlyMap<string, readonly number[]> {
  const numbers = new Map<string, number[]>();
  for (const [name, number] of Object.entries(named).toSorted(([, a], [, b]) => a - b)) {
    const own = original.get(name) ?? name;
    numbers.set(own, [...(numbers.get(own) ?? []), number]);
  }
  return numbers;
}

/** Throws Go's error, which quotes the pattern as it was written. */
function compile(pattern: string, original: ReadonlyMap<string, string> = new Map()): RE2JS {
  if (!pattern.isWellFormed()) refuseInvalid(normalize(pattern));
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    const atEnd = error.message.endsWith('at end of expression');
    const message = error.message.replace(/(?<=\(\?P?<)\w+(?=>)/g, (name) => original.get(name) ?? name);
    throw new GoError(atEnd ? `${message}: \`\`` : message);
  }
}

/** Rejects a pattern that is not valid UTF-8, unless an earlier part of it has another error. */
function refuseInvalid(pattern: string): void {
  const at = pattern.search(/\p{Surrogate}/u);
  if (at < 0) return;
  const problem = `error parsing regexp: invalid UTF-8: \`${pattern.slice(at)}\``;
  try {
    compile(pattern.slice(0, at));
  } catch (error) {
    // a group or class that is open here may be closed later
    if (error instanceof GoError && !/missing|trailing backslash/.test(error.message)) throw error;
  }
  throw new GoError(problem);
}

function textOf(text: string, [start, end]: Match): string {
  return text.slice(start, end);
}

/** Returns the text of the first of these groups that matched. */
function groupText(text: string, match: Match, groups: readonly number[] = []): string {
  for (const group of groups) {
    const [start = -1, end = -1] = match.slice(2 * group, 2 * group + 2);
    if (start >= 0) return text.slice(start, end);
  }
  return '';
}

/** Returns the length of the next character; 1 at the end, so that a search terminates. */
function characterLength(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}
