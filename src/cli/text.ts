/** Scripts whose letters are shaped by the zero-width joiner and non-joiner. */
const joiningScripts = ['Arabic', 'Syriac', 'Mongolian', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya']
  .concat(['Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Khmer', 'Myanmar'])
  .map((script) => `\\p{Script=${script}}`)
  .join('');

/** Arabic, Syriac and Kaithi number signs, which Unicode counts as format characters. */
const visibleSigns = String.raw`\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u{110BD}\u{110CD}`;

/**
 * Control characters, characters that change the order of the text around them, and characters
 * without a form of their own, in which text can hide.
 */
const unsafe = new RegExp(
  String.raw`[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]--[\t\n${visibleSigns}]]`,
  'gv',
);

/** The characters before an invisible one, and after it, with which it has a meaning. */
const meanings: Array<{ character: RegExp; before: RegExp; after: RegExp }> = [
  {
    character: /^\u200D$/,
    before: /[\p{Emoji_Modifier}\p{Extended_Pictographic}\uFE0F]$/u,
    after: /^\p{Extended_Pictographic}/u,
  },
  {
    character: /^[\u200C\u200D]$/,
    before: new RegExp(`[${joiningScripts}]$`, 'u'),
    after: new RegExp(`^[${joiningScripts}]`, 'u'),
  },
  { character: /^[\uFE0E\uFE0F]$/, before: /\p{Emoji}$/u, after: /^/ },
  { character: /^[\u{E0100}-\u{E01EF}]$/u, before: /\p{Script=Han}$/u, after: /^/ },
];

/** More combining marks on one letter than any language has; they would cover other lines. */
const pileOfMarks = /(\p{M}{8})\p{M}+/gu;

/**
 * Replaces the characters with which a foreign text could take over a terminal, or look like
 * another text. Keeps line breaks and tabs.
 */
export function printable(text: string): string {
  if (/^[\t\n\x20-\x7e]*$/.test(text)) return text;
  return text
    .replaceAll('\r\n', '\n')
    .replace(unsafe, (character: string, at: number, whole: string) =>
      isMeaningful(character, at, whole) ? character : '\uFFFD',
    )
    .replace(pileOfMarks, '$1\uFFFD');
}

function isMeaningful(character: string, at: number, whole: string): boolean {
  const end = at + character.length;
  // a character has one or two code units
  const [left, right] = [whole.slice(Math.max(0, at - 2), at), whole.slice(end, end + 2)];
  return meanings.some(
    (meaning) => meaning.character.test(character) && meaning.before.test(left) && meaning.after.test(right),
  );
}

/** Returns foreign text as one printable line. */
export function oneLine(text: string): string {
  return printable(text.replace(/\s+/g, ' ').trim());
}
