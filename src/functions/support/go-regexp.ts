import { RE2JS, RE2JSSyntaxException } from 're2js';
import { normalize } from '../../go/text.ts';
import { GoError, Slice } from '../../go/value.ts';
import { exact, grownCapacity, withCapacity } from './capacity.ts';
import { checkElements, type FunctionLimits } from '../limits.ts';

/** Where a match begins and ends, and after it where each of its groups does; -1 for a group that took no part. */
type Match = readonly number[];

/** Answers what a group of the current match took, by its name or number; an empty string for one that took nothing. */
export type GroupText = (group: string | number) => string;

/** Go's `regexp.Regexp` over RE2 in JavaScript: the same matches, in linear time. */
export class GoRegexp {
  private readonly compiled: RE2JS;
  /** The numbers of the groups of each name. */
  private readonly groups: ReadonlyMap<string, readonly number[]>;
  private readonly empty: boolean;

  /** Throws Go's error for a pattern that is none. */
  constructor(pattern: string) {
    const { distinct, original } = withDistinctNames(pattern);
    this.compiled = compile(distinct, original);
    this.groups = numbersByName(this.compiled.namedGroups(), original);
    this.empty = pattern === '';
  }

  matches(text: string): boolean {
    return this.compiled.test(text);
  }

  /** The first match; an empty string where there is none. */
  find(text: string): string {
    const match = this.matchFrom(text, 0);
    return match === undefined ? '' : textOf(text, match);
  }

  /** The matches, at most `count` of them where it is not negative. */
  findAll(text: string, count: number, limits: FunctionLimits): string[] {
    return this.allMatches(text, count, limits).map((match) => textOf(text, match));
  }

  /** The text with what `replacement` answers for each match. */
  replaceAll(text: string, replacement: (group: GroupText) => string): string {
    let [replaced, lastEnd, from] = ['', 0, 0];
    while (from <= text.length) {
      const match = this.matchFrom(text, from);
      if (match === undefined) break;
      const [start = 0, end = 0] = match;
      replaced += text.slice(lastEnd, start);
      if (end > lastEnd || start === 0) {
        replaced += replacement((name) =>
          groupText(text, match, typeof name === 'number' ? [name] : this.groups.get(name)),
        );
      }
      lastEnd = end;
      from = Math.max(end, from + characterLength(text, from));
    }
    return replaced + text.slice(lastEnd);
  }

  /** The text between matches, in at most `count` pieces where it is not negative. */
  split(text: string, count: number, limits: FunctionLimits): Slice {
    if (count === 0) return new Slice('string', null);
    if (!this.empty && text === '') return exact(new Slice('string', ['']));
    const matches = this.allMatches(text, count, limits);
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

  private allMatches(text: string, count: number, limits: FunctionLimits): Match[] {
    const matches: Match[] = [];
    let [from, previousEnd] = [0, -1];
    while (from <= text.length && (count < 0 || matches.length < count)) {
      const match = this.matchFrom(text, from);
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

  private matchFrom(text: string, from: number): Match | undefined {
    const matcher = this.compiled.matcher(text);
    if (!matcher.find(from)) return undefined;
    return Array.from({ length: matcher.groupCount() + 1 }, (_, group) => [
      matcher.start(group),
      matcher.end(group),
    ]).flat();
  }
}

interface DistinctNames {
  /** The pattern in which no two groups have the same name. */
  readonly distinct: string;
  /** Which name those groups really have that were given another. */
  readonly original: ReadonlyMap<string, string>;
}

const partOfPattern = /\\Q.*?(?:\\E|$)|\\.|\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]|\(\?P?<(\w+)>/gs;

/** Go lets groups share a name, RE2JS does not. */
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

/** Throws Go's error, which names parts of the pattern as it was written. */
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

/** Refuses a pattern that is no UTF-8, unless something else is wrong before that place. */
function refuseInvalid(pattern: string): void {
  const at = pattern.search(/\p{Surrogate}/u);
  if (at < 0) return;
  const problem = `error parsing regexp: invalid UTF-8: \`${pattern.slice(at)}\``;
  try {
    compile(pattern.slice(0, at));
  } catch (error) {
    // what is open there may have been closed later
    if (error instanceof GoError && !/missing|trailing backslash/.test(error.message)) throw error;
  }
  throw new GoError(problem);
}

function textOf(text: string, [start, end]: Match): string {
  return text.slice(start, end);
}

/** What the first of these groups took that took anything. */
function groupText(text: string, match: Match, groups: readonly number[] = []): string {
  for (const group of groups) {
    const [start = -1, end = -1] = match.slice(2 * group, 2 * group + 2);
    if (start >= 0) return text.slice(start, end);
  }
  return '';
}

/** How far the next character is; 1 at the end, so that a search ends. */
function characterLength(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}
