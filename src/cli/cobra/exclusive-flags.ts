/** Throws an error with cobra's text if more than one flag of a group is given. */
export function requireOneOfEach(
  groups: readonly (readonly string[])[],
  given: Pick<ReadonlyMap<string, unknown>, 'has'>,
): void {
  for (const group of groups.toSorted((a, b) => (a.join(' ') < b.join(' ') ? -1 : 1))) {
    const set = group.filter((name) => given.has(name)).sort();
    if (set.length <= 1) continue;
    throw new Error(
      `if any flags in the group [${group.join(' ')}] are set none of the others can be; [${set.join(' ')}] were all set`,
    );
  }
}
