/** Number of different warnings that are reported; all others are dropped. */
const maxWarnings = 50;
const maxLength = 500;

/** Returns a function that passes each text on once, up to a number of texts. */
export function warningReporter(report: (text: string) => void): (text: string) => void {
  const seen = new Set<string>();
  return (text) => {
    const short = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
    if (seen.has(short) || seen.size === maxWarnings) return;
    seen.add(short);
    report(short);
  };
}
