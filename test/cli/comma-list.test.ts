import test from 'ava';
import { commaList } from '../../src/cli/comma-list.ts';

// as Go's encoding/csv reads a record
const reads = test.macro({
  title: (_, text: string) => `${JSON.stringify(text)} is read as Helm reads its flags`,
  exec(t, text: string, items: string[]) {
    t.deepEqual(commaList(text), items);
  },
});

test(reads, '', []);
test(reads, 'a', ['a']);
test(reads, 'a,b', ['a', 'b']);
test(reads, ' a ,', [' a ', '']);
test(reads, 'a,,b', ['a', '', 'b']);
test(reads, '"a,b",c', ['a,b', 'c']);
test(reads, '"a ""b""",c', ['a "b"', 'c']);
test(reads, 'a,b\nc', ['a', 'b']);

test('a misplaced quote is refused', (t) => {
  for (const text of ['a"b', '"a', '"a"b']) t.throws(() => commaList(text), { message: /misplaced quote/ });
});
