import test from 'ava';
import { createTidyUp } from '../../src/threads/tidy-up.ts';

const mebibyte = 2 ** 20;

/** Returns a function that ends a task with a heap of this size, and whether it is collected. */
function heapOf(scarceBytes: number, resident: number, live = 10) {
  let [size, collections] = [0, 0];
  const tidyUp = createTidyUp({
    scarceBytes: scarceBytes * mebibyte,
    residentBytes: () => resident * mebibyte,
    heapBytes: () => size * mebibyte,
    collectGarbage() {
      size = live;
      collections++;
    },
  });
  return (mebibytes: number): boolean => {
    const before = collections;
    size = mebibytes;
    tidyUp();
    return collections > before;
  };
}

test('collects the garbage of a large heap, and not of a small one', (t) => {
  const isCollected = heapOf(300, 100);
  t.false(isCollected(48));
  t.true(isCollected(49));
  t.false(isCollected(20));
});

test('collects a heap with many live values only when it has grown by half', (t) => {
  const isCollected = heapOf(300, 100, 60);
  t.true(isCollected(70));
  t.false(isCollected(90));
  t.true(isCollected(91));
});

test('collects some megabytes of garbage if memory is scarce', (t) => {
  const isCollected = heapOf(300, 301);
  t.true(isCollected(9));
  t.false(isCollected(18));
  t.true(isCollected(19));
});

test('collects nothing if the memory of the process has no limit', (t) => {
  t.false(heapOf(Infinity, 10_000)(1000));
});
