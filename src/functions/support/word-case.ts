import { charactersOf, toLower, toUpper } from '../../go/characters.ts';
import { isSpace } from '../../go/space.ts';

type WordKind = 'none' | 'number' | 'upper' | 'letters' | 'connector' | 'punctuation' | 'other';

interface Word {
  readonly kind: WordKind;
  readonly text: string;
}

const end: Word = { kind: 'none', text: '' };

function isConnector(character: string): boolean {
  return character === '-' || character === '_' || isSpace(character);
}

function isUpper(character: string): boolean {
  return /\p{Lu}/u.test(character);
}

function isPunctuation(character: string): boolean {
  return /\p{P}/u.test(character);
}

function isNumber(character: string): boolean {
  return /\p{N}/u.test(character);
}

const chinese = /[\u3400-\u4d85\u4e00-\u9fcc\u{20000}-\u{2b81d}]/u;

function isLetter(character: string): boolean {
  return /\p{L}/u.test(character) && !chinese.test(character);
}

function kindOfCharacter(character: string): WordKind {
  if (isConnector(character)) return 'connector';
  if (isPunctuation(character)) return 'punctuation';
  if (isUpper(character)) return 'upper';
  if (isLetter(character)) return 'letters';
  return isNumber(character) ? 'number' : 'other';
}

/** A character with the invalid UTF-8 bytes before it. */
interface CharacterGroup {
  readonly character: string;
  readonly text: string;
}

const invalid = '\ufffd';

/** Invalid bytes belong to the character after them, or at the end to the one before. */
function characterGroups(text: string): CharacterGroup[] {
  const units: CharacterGroup[] = [];
  let skipped = '';
  for (const character of text) {
    if (character === invalid || !character.isWellFormed()) {
      skipped += character;
    } else {
      units.push({ character, text: skipped + character });
      skipped = '';
    }
  }
  if (skipped !== '') units.push({ character: units.at(-1)?.character ?? invalid, text: skipped });
  return units;
}

/** Splits text into words as xstrings does: `HTTPStatus` is `HTTP` and `Status`. */
function splitWords(text: string): Word[] {
  const units = characterGroups(text);
  const characters = units.map(({ character }) => character);
  const words: Word[] = [];
  for (let start = 0; start < units.length;) {
    const kind = kindOfCharacter(characters[start] ?? '');
    const stop = wordEnd(characters, start, kind);
    const part = units.slice(start, stop).map((unit) => unit.text);
    words.push({ kind, text: part.join('') });
    start = stop;
  }
  return words;
}

function wordEnd(characters: readonly string[], start: number, kind: WordKind): number {
  const from = start + 1;
  switch (kind) {
    case 'connector':
      return runEnd(characters, from, isConnector);
    case 'punctuation':
      return runEnd(characters, from, isPunctuation);
    case 'number':
      return runEnd(characters, from, isNumber);
    case 'letters':
      return runEnd(characters, from, isLowerLetter);
    case 'upper':
      return upperEnd(characters, from);
    default:
      return runEnd(characters, from, (character) => kindOfCharacter(character) === 'other');
  }
}

function isLowerLetter(character: string): boolean {
  return isLetter(character) && !isUpper(character);
}

function runEnd(characters: readonly string[], from: number, belongs: (character: string) => boolean): number {
  let stop = from;
  while (stop < characters.length && belongs(characters[stop] ?? '')) stop++;
  return stop;
}

/** The last letter of an upper case run belongs to a lower case letter after it. */
function upperEnd(characters: readonly string[], from: number): number {
  const next = characters[from] ?? '';
  if (!isUpper(next)) return runEnd(characters, from, isLowerLetter);
  const stop = runEnd(characters, from, isUpper);
  return stop < characters.length && isLetter(characters[stop] ?? '') ? stop - 1 : stop;
}

/** xstrings' `ToSnakeCase`. */
export function toSnakeCase(text: string): string {
  return joinLowerCase(text, '_');
}

/** xstrings' `ToKebabCase`. */
export function toKebabCase(text: string): string {
  return joinLowerCase(text, '-');
}

function joinLowerCase(text: string, connector: string): string {
  const words = splitWords(text)[Symbol.iterator]();
  const next = (): Word => words.next().value ?? end;
  let joined = '';
  const write = (word: Word): void => {
    joined += lowerCase(word, connector);
  };
  const connect = (following: Word, ...unless: WordKind[]): void => {
    if (!unless.includes(following.kind)) joined += connector;
  };
  const writeLettersAndNumbers = (first: Word): Word => {
    let word = first;
    while (word.kind === 'letters' || word.kind === 'number') {
      write(word);
      word = next();
    }
    return word;
  };

  let word = next();
  let following = next();
  while (following.kind !== 'none') {
    if (word.kind !== 'connector') write(word);
    const previous = word;
    word = following;
    if (previous.kind === 'number') {
      word = writeLettersAndNumbers(word);
      connect(word, 'none', 'punctuation', 'connector');
    } else if (previous.kind === 'connector') {
      write(previous);
    } else if (previous.kind !== 'punctuation') {
      word = joinAfterWord(word);
    }
    following = next();
  }
  write(word);
  return joined;

  /** A number after letters belongs to them unless lower case letters follow it. */
  function joinAfterWord(after: Word): Word {
    if (after.kind !== 'number') {
      connect(after, 'connector', 'punctuation');
      return after;
    }
    const beyond = next();
    if (beyond.kind === 'none') return after;
    if (beyond.kind !== 'letters') {
      write(after);
      connect(beyond, 'connector', 'punctuation');
      return beyond;
    }
    joined += connector;
    write(after);
    const rest = writeLettersAndNumbers(beyond);
    connect(rest, 'none', 'connector', 'punctuation');
    return rest;
  }
}

function lowerCase(word: Word, connector: string): string {
  if (word.kind !== 'upper' && word.kind !== 'connector') return word.text;
  return charactersOf(word.text)
    .map((character) => (isConnector(character) ? connector : isUpper(character) ? toLower(character) : character))
    .join('');
}

/**
 * xstrings' `ToPascalCase`: `http_server` becomes `HttpServer`. Keeps connectors at the start, all
 * but one if there are several. If there is nothing else, xstrings writes the last one twice.
 */
export function toPascalCase(text: string): string {
  const characters = charactersOf(text);
  const start = characters.findIndex((character) => !isConnector(character));
  if (start < 0) return text === '' ? '' : characters.join('') + (characters.at(-1) ?? '');
  let result = characters.slice(0, start).join('');
  let current = characters[start] ?? '';
  let inUpperRun = isUpper(current);
  current = toUpper(current);
  for (const character of characters.slice(start + 1)) {
    const previous = current;
    current = character;
    if (isConnector(current) && isConnector(previous)) {
      result += previous;
    } else if (isConnector(previous)) {
      inUpperRun = isUpper(current);
      current = toUpper(current);
    } else {
      if (inUpperRun) {
        if (isUpper(current)) current = toLower(current);
        else inUpperRun = false;
      }
      result += previous;
    }
  }
  return result + current;
}
