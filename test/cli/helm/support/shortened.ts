/** Leaves out the global flags of a help text, which are the same for all commands. */
export function shortened(text: string): string {
  return text.replace(/\nGlobal Flags:\n(?: .*\n)+/, '\nGlobal Flags: …\n');
}
