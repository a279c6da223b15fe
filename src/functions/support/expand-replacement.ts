const reference = /\$(?:(\$)|\{([\p{L}\p{Nd}_]+)\}|([\p{L}\p{Nd}_]+))/gu;

/**
 * Replaces `$1`, `${1}`, `$name` and `${name}` as Go's `regexp.Expand` does: names are matched
 * greedily, and `$$` is `$`.
 */
export function expandReplacement(template: string, group: (name: string | number) => string): string {
  return template.replace(reference, (_, dollar?: string, braced?: string, bare?: string) => {
    if (dollar !== undefined) return '$';
    const name = braced ?? bare ?? '';
    return group(/^(?:0|[1-9][0-9]{0,8})$/.test(name) ? Number(name) : name);
  });
}
