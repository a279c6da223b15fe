/** Fields of commands that have files. */
const contentFields: ReadonlySet<string> = new Set(['chartArchive', 'chartProvenance', 'manifests']);

/**
 * Returns the fields of a command as conditions see them. Those that have files, which can be
 * megabytes, are an empty text, so that conditions know that the command has them.
 */
export function shownPayload(payload: object): object {
  const fields = Object.entries(payload).filter(([, value]) => value !== undefined);
  return Object.fromEntries(fields.map(([name, value]) => [name, contentFields.has(name) ? '' : (value as unknown)]));
}
