import test from 'ava';
import { isBlank, isSpace, trimLeftSpace, trimSpace } from '../../src/go/space.ts';

/** Returns a printable name, because ava requires titles that differ in more than white space. */
function named(character: string): string {
  return character === '' ? 'nothing' : `U+${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

for (const character of ['\t', '\n', '\v', '\f', '\r', ' ', '\u0085', '\u00a0', '\u2028', '\u3000']) {
  test(`${named(character)} is space, as in Go`, (t) => t.true(isSpace(character)));
}

for (const character of ['', 'a', '\ufeff', '\u200b', '\u180e']) {
  test(`${named(character)} is not space, as in Go`, (t) => t.false(isSpace(character)));
}

test('recognizes and trims Unicode space', (t) => {
  t.true(isBlank(''));
  t.true(isBlank(' \n\u0085'));
  t.false(isBlank(' \ufeff'));
  t.is(trimLeftSpace(' \n\u2003a b '), 'a b ');
  t.is(trimSpace(' \n\u2003a b\ufeff \u0085'), 'a b\ufeff');
});
