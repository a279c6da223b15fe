import { RE2JS, RE2JSSyntaxException } from 're2js';
import { GoError } from '../go/value.ts';
import { checkElements, type FunctionLimits } from './limits.ts';

/** Where a match begins and ends, and after it where each of its groups does; -1 for a group that took no part. */
type Match = readonly number[];

/** Answers what a group of the current match took, by its name or number; an empty string for one that took nothing. */
export type GroupText = (group: string | number) => string;

/** Go's `regexp.Regexp` over RE2 in JavaScript: the same matches, in linear time. */
export class RegularExpression {
  private readonly compiled: RE2JS;
  private readonly empty: boolean;

  /** Throws Go's error for a pattern that is none. */
  constructor(pattern: string) {
    this.compiled = compile(pattern);
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
    const groups = this.compiled.namedGroups();
    let [replaced, lastEnd, from] = ['', 0, 0];
    while (from <= text.length) {
      const match = this.matchFrom(text, from);
      if (match === undefined) break;
      const [start = 0, end = 0] = match;
      replaced += text.slice(lastEnd, start);
      if (end > lastEnd || start === 0) {
        replaced += replacement((name) => groupText(text, match, typeof name === 'number' ? name : groups[name]));
      }
      lastEnd = end;
      from = Math.max(end, from + characterLength(text, from));
    }
    return replaced + text.slice(lastEnd);
  }

  /** The text between matches, in at most `count` pieces where it is not negative. */
  split(text: string, count: number, limits: FunctionLimits): string[] | null {
    if (count === 0) return null;
    if (!this.empty && text === '') return [''];
    const pieces: string[] = [];
    let [start, end] = [0, 0];
    for (const [matchStart = 0, matchEnd = 0] of this.allMatches(text, count, limits)) {
      if (count > 0 && pieces.length === count - 1) break;
      end = matchStart;
      if (matchEnd !== 0) pieces.push(text.slice(start, end));
      start = matchEnd;
    }
    if (end !== text.length) pieces.push(text.slice(start));
    return pieces;
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

function compile(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    const atEnd = error.message.endsWith('at end of expression');
    throw new GoError(atEnd ? `${error.message}: \`\`` : error.message);
  }
}

function textOf(text: string, [start, end]: Match): string {
  return text.slice(start, end);
}

function groupText(text: string, match: Match, group: number | undefined): string {
  if (group === undefined) return '';
  const [start = -1, end = -1] = match.slice(2 * group, 2 * group + 2);
  return start < 0 ? '' : text.slice(start, end);
}

/** How far the next character is; 1 at the end, so that a search ends. */
function characterLength(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}
