/**
 * Characters that change how other characters are shown: controls, marks of direction, line and
 * paragraph separators, and those without a meaning of their own.
 */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;

/** Marks above and below a letter beyond the second. */
const stackedMarks = /(\p{M}{2})\p{M}+/gu;

const maxName = 253;

/** Returns a name that others have chosen, as one line that changes nothing around it. */
export function foreignName(text: string, maxLength = maxName): string {
  return cut(text, maxLength).replace(unprintable, '\u{fffd}').replace(stackedMarks, '$1');
}

const maxLines = 20_000;
const maxLine = 4000;

/** Returns the lines of a long text that others have written. */
export function foreignLines(text: string, limits = { maxLines, maxLine }): string[] {
  const lines = text.split(/\r\n?|\n/, limits.maxLines + 1);
  const shown = lines
    .slice(0, limits.maxLines)
    .map((line) => foreignName(line.replaceAll('\t', '    '), limits.maxLine));
  return lines.length > shown.length ? [...shown, '… the rest is not shown'] : shown;
}

function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return `${text.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
