import test from 'ava';
import { secretMatcher } from '../../src/redaction/secret-matcher.ts';

const rows: [secrets: string[], text: string, found: string][] = [
  [['abcdef'], 'x abcdef y abcdef', 'x *** y ***'],
  [['abcdef', 'cdefgh'], 'abcdefgh', '***'],
  [['abcdef', 'abcdefghij'], 'abcdefghij abcdef', '*** ***'],
  [['bcd', 'abcde'], 'abcdx abcde', 'a***x ***'],
  [['abcab'], 'abcabcabcab!', '***!'],
  [['one\ntwo'], 'one\ntwo one', '*** one'],
  [['aaaa'], 'aaa aaaaaaaaa', 'aaa ***'],
  [['\ud83d\ude00x'], 'a\ud83d\ude00x', 'a***'],
  [[], 'text', 'text'],
  [[''], 'text', 'text'],
];

for (const [secrets, text, found] of rows) {
  test(`${JSON.stringify(secrets)} in ${JSON.stringify(text)}`, (t) => {
    t.is(secretMatcher(secrets)(text), found);
  });
}
