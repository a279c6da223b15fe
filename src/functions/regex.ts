import { LRUCache } from 'lru-cache';
import { canBackquote, quote } from '../go/strconv.ts';
import { type Int, Slice, type Value } from '../go/value.ts';
import { checkBytes, type FunctionLimits } from './limits.ts';
import { grownCapacity, withCapacity } from './support/capacity.ts';
import type { FunctionFamily } from './support/family.ts';
import { GoRegexp, type GroupText } from './support/go-regexp.ts';
import { recover, withContext } from './support/recover.ts';

const compiledPatterns = 500;

/** Initial capacity of Go's list of matches. */
const firstCapacity = 10;

type RegexCall = (regex: GoRegexp, ...rest: never[]) => Value;

const two = ['string', 'string'] as const;
const three = ['string', 'string', 'string'] as const;
const counted = ['string', 'string', 'int'] as const;

/** Sprig's regular expression functions. Compiled patterns are cached. */
export function regexFunctions(limits: FunctionLimits): FunctionFamily {
  const compiled = new LRUCache<string, GoRegexp>({
    maxSize: compiledPatterns, // unlike `max`, it reserves no memory at the start
    sizeCalculation: () => 1,
    memoMethod: (pattern) => new GoRegexp(pattern),
  });
  const compile = (pattern: string): GoRegexp => compiled.memo(pattern);
  const match = (pattern: string, text: string): boolean => compile(pattern).matches(text);
  /**
   * Returns a function and its `must…` variant, which report a bad pattern with different texts.
   */
  const both = (name: string, params: readonly string[], call: RegexCall): FunctionFamily => ({
    [name]: {
      params,
      call: (pattern: string, ...rest: never[]) => call(mustCompile(pattern, compile), ...rest),
    },
    [`mustR${name.slice(1)}`]: { params, call: (pattern: string, ...rest: never[]) => call(compile(pattern), ...rest) },
  });
  return {
    regexMatch: {
      params: two,
      call: (pattern: string, text: string) =>
        recover(
          () => match(pattern, text),
          () => false,
        ),
    },
    mustRegexMatch: { params: two, call: match },
    ...both('regexFind', two, (regex, text: string) => regex.find(text)),
    ...both('regexFindAll', counted, (regex, text: string, count: Int) => {
      const found = regex.findAll(text, Number(count.value), limits);
      if (found.length === 0) return new Slice('string', null);
      return withCapacity(new Slice('string', found), grownCapacity(firstCapacity, found.length, 'string'));
    }),
    ...both('regexReplaceAll', three, (regex, text: string, template: string) =>
      regex.replaceAll(
        text,
        withLimit(limits, (group: GroupText) => expandReplacement(template, group)),
      ),
    ),
    ...both('regexReplaceAllLiteral', three, (regex, text: string, replacement: string) =>
      regex.replaceAll(
        text,
        withLimit(limits, () => replacement),
      ),
    ),
    ...both('regexSplit', counted, (regex, text: string, count: Int) => regex.split(text, Number(count.value), limits)),
    regexQuoteMeta: {
      params: ['string'],
      call: quoteMeta,
    },
  };
}

const quotedAtOnce = 64 * 1024;

/**
 * Quotes the text in chunks. `replaceAll` records every replaced character, which takes far more
 * memory than the text.
 */
function quoteMeta(text: string): string {
  let quoted = '';
  for (let at = 0; at < text.length; at += quotedAtOnce) {
    quoted += text.slice(at, at + quotedAtOnce).replaceAll(/[\\.+*?()|[\]{}^$]/g, String.raw`\$&`);
  }
  return quoted;
}

/** Wraps `replacement` so that it throws when the replacements exceed the limit in total. */
function withLimit(limits: FunctionLimits, replacement: (group: GroupText) => string): (group: GroupText) => string {
  let total = 0;
  return (group) => {
    const text = replacement(group);
    total += text.length;
    checkBytes(total, limits);
    return text;
  };
}

/** Go's `regexp.MustCompile`: the error includes the pattern. */
function mustCompile<T>(pattern: string, compile: (pattern: string) => T): T {
  const quoted = canBackquote(pattern) ? `\`${pattern}\`` : quote(pattern);
  return withContext(`regexp: Compile(${quoted})`, () => compile(pattern));
}

const reference = /\$(?:(\$)|\{([\p{L}\p{Nd}_]+)\}|([\p{L}\p{Nd}_]+))/gu;

/**
 * Replaces `$1`, `${1}`, `$name` and `${name}` as Go's `regexp.Expand` does: names are matched
 * greedily, and `$$` is `$`.
 */
function expandReplacement(template: string, group: (name: string | number) => string): string {
  return template.replace(reference, (_, dollar?: string, braced?: string, bare?: string) => {
    if (dollar !== undefined) return '$';
    const name = braced ?? bare ?? '';
    return group(/^(?:0|[1-9][0-9]{0,8})$/.test(name) ? Number(name) : name);
  });
}
