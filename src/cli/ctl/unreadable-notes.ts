/** Returns the lines about the revisions that an answer leaves out. */
export function unreadableNotes({ unreadable = [] }: { unreadable?: readonly string[] | undefined }): string[] {
  return unreadable.map((message) => `warning: left out a revision: ${message}`);
}
