/** Keeps the results of a costly function for the texts that it was last asked for, at most `size` of them. */
export function cached<T>(size: number, make: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const made = make(text);
    if (known.size >= size) {
      const [oldest] = known.keys();
      if (oldest !== undefined) known.delete(oldest);
    }
    known.set(text, made);
    return made;
  };
}
