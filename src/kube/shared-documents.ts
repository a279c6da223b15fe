/**
 * Documents about a server that all its users share in memory, by path and version. A user gets one
 * only after the server has said that it is still the same (`ETag`), which it says to those who may
 * read it.
 */
export interface SharedDocuments {
  find(path: string): SharedDocument | undefined;
  keep(path: string, document: SharedDocument): void;
  /** Returns what `make` returns for these contents. Keeps the last result for other users. */
  derived<Result>(contents: readonly object[], make: () => Result): Result;
}

/** A document as it was understood. */
interface SharedDocument {
  etag: string;
  content: unknown;
}

export function sharedDocuments(): SharedDocuments {
  const documents = new Map<string, SharedDocument>();
  let last: { contents: readonly object[]; result: unknown } | undefined;
  return {
    find: (path) => documents.get(path),
    keep: (path, document) => void documents.set(path, document),
    derived<Result>(contents: readonly object[], make: () => Result) {
      const isSame = contents.every((content, index) => content === last?.contents[index]);
      if (last === undefined || !isSame) last = { contents, result: make() };
      return last.result as Result; // of the same contents
    },
  };
}
