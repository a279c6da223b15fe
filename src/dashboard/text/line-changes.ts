import { diffArrays } from 'diff';

/** A line of one text, of the other one, or of both. */
export interface LineChange {
  readonly change: 'same' | 'added' | 'removed';
  readonly line: string;
}

/** The most edits that are looked for, which bounds the time. */
const maxEdits = 4000;

/** Lines around a change that are shown. */
const context = 3;

/**
 * Returns the lines that differ, with some around them. A gap between them is one line with `…`. Of
 * texts that are too different, all lines are removed and added.
 */
export function changedLines(before: readonly string[], after: readonly string[]): LineChange[] {
  const parts = diffArrays([...before], [...after], { maxEditLength: maxEdits, timeout: 2000 }) ?? [
    { value: before, removed: true, added: false },
    { value: after, removed: false, added: true },
  ];
  const all = parts.flatMap(({ value, added, removed }) => {
    const change = added ? 'added' : removed ? 'removed' : 'same';
    return value.map((line): LineChange => ({ change, line }));
  });
  return withContext(all);
}

function withContext(all: readonly LineChange[]): LineChange[] {
  const isShown = new Uint8Array(all.length);
  for (const [index, { change }] of all.entries()) {
    if (change !== 'same') isShown.fill(1, Math.max(0, index - context), index + context + 1);
  }
  const shown: LineChange[] = [];
  let isGap = false;
  for (const [index, line] of all.entries()) {
    if (isShown[index] === 1) shown.push(line);
    else if (!isGap && shown.length > 0) shown.push({ change: 'same', line: '…' });
    isGap = isShown[index] !== 1;
  }
  if (shown.at(-1)?.line === '…' && isGap) shown.pop();
  return shown;
}
