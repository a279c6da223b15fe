type Parameters = Record<string, unknown>;

/** The flags of a command line that only reads. */
export interface ReadingFlags {
  names: string[];
  /** The flags as fields of a packet. */
  flags: Parameters;
  /** The flags that say what is read, and not how it is printed. */
  lineFlags: string[];
}

const statuses: Readonly<Record<string, string[]>> = {
  '--deployed': ['deployed'],
  '--failed': ['failed'],
  '--pending': ['pending-install', 'pending-upgrade', 'pending-rollback'],
  '--superseded': ['superseded'],
  '--uninstalled': ['uninstalled'],
  '--uninstalling': ['uninstalling'],
};

const switches: Readonly<Record<string, Parameters>> = {
  '-d': { sort: 'date' },
  '-r': { reverse: true },
  '--all': {},
};

const valued: Readonly<Record<string, (value: string) => Parameters>> = {
  '-l': (selector) => ({ selector }),
  '--filter': (filter) => ({ filter }),
  '--max': (max) => ({ max: Number(max) }),
  '--offset': (offset) => ({ offset: Number(offset) }),
  '--revision': (version) => ({ version: Number(version) }),
};

const ofOutput = new Set(['-q', '--no-headers']);

/** Reads the words after the verb. Throws for a flag that is not known. */
export function readingFlags(words: readonly string[]): ReadingFlags {
  const names: string[] = [];
  const lineFlags: string[] = [];
  let flags: Parameters = {};
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? '';
    const status = statuses[word];
    const withValue = valued[word];
    if (word === '-o') i++;
    else if (ofOutput.has(word)) continue;
    else if (!word.startsWith('-')) names.push(word);
    else if (withValue !== undefined) {
      const value = words[++i] ?? '';
      lineFlags.push(word, value);
      flags = { ...flags, ...withValue(value) };
    } else {
      lineFlags.push(word);
      if (status === undefined && switches[word] === undefined) throw new Error(`${word} is not known`);
      flags =
        status === undefined
          ? { ...flags, ...switches[word] }
          : { ...flags, statuses: [...statusesOf(flags), ...status] };
    }
  }
  return { names, flags, lineFlags };
}

function statusesOf({ statuses: found = [] }: Parameters): string[] {
  return found as string[]; // only readingFlags sets it
}
