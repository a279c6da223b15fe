import { charactersOf, toLower, toTitle, toUpper } from '../go/characters.ts';
import { isSpace } from '../go/space.ts';
import { isAscii } from '../go/text.ts';
import type { FunctionFamily } from './support/family.ts';
import { toKebabCase, toPascalCase, toSnakeCase } from './support/word-case.ts';

const text = ['string'] as const;

/** Sprig's functions for upper and lower case. */
export const casingFunctions: FunctionFamily = {
  upper: { params: text, call: (s: string) => (isAscii(s) ? s.toUpperCase() : charactersOf(s).map(toUpper).join('')) },
  lower: { params: text, call: lower },
  title: { params: text, call: title },
  untitle: { params: text, call: untitle },
  swapcase: { params: text, call: swapCase },
  snakecase: { params: text, call: toSnakeCase },
  kebabcase: { params: text, call: toKebabCase },
  camelcase: { params: text, call: toPascalCase },
};

function lower(s: string): string {
  return isAscii(s) ? s.toLowerCase() : charactersOf(s).map(toLower).join('');
}

/** Go's `strings.Title`: capitalizes the first letter of each word. */
function title(s: string): string {
  let atStart = true;
  return charactersOf(s)
    .map((character) => {
      const titled = atStart ? toTitle(character) : character;
      atStart = isSeparator(character);
      return titled;
    })
    .join('');
}

function isSeparator(character: string): boolean {
  if (character <= '\x7f') return !/\w/.test(character);
  return !/[\p{L}\p{Nd}]/u.test(character) && isSpace(character);
}

function untitle(s: string): string {
  let atStart = true;
  return charactersOf(s)
    .map((character) => {
      if (isSpace(character)) {
        atStart = true;
        return character;
      }
      const changed = atStart ? toLower(character) : character;
      atStart = false;
      return changed;
    })
    .join('');
}

/** goutils' `SwapCase`: a lower case letter at the start of a word becomes title case. */
function swapCase(s: string): string {
  let atStart = true;
  return charactersOf(s)
    .map((character) => {
      if (/[\p{Lu}\p{Lt}]/u.test(character)) {
        atStart = false;
        return toLower(character);
      }
      if (/\p{Ll}/u.test(character)) {
        const swapped = atStart ? toTitle(character) : toUpper(character);
        atStart = false;
        return swapped;
      }
      atStart = isSpace(character);
      return character;
    })
    .join('');
}
