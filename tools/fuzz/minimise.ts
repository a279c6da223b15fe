/** Shortens a text while it stays interesting, until the time is up. */
export function minimised(text: string, isInteresting: (text: string) => boolean, milliseconds = 5000): string {
  const end = performance.now() + milliseconds;
  let shortest = text;
  for (let size = Math.ceil(text.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < shortest.length;) {
      if (performance.now() > end) return shortest;
      const shorter = shortest.slice(0, at) + shortest.slice(at + size);
      if (isInteresting(shorter)) shortest = shorter;
      else at += size;
    }
  }
  return shortest;
}
