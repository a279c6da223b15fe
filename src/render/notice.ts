/** A line that Helm logs while it renders. */
export interface RenderNotice {
  level: 'INFO' | 'WARN';
  message: string;
  attributes: Readonly<Record<string, string>>;
}

/**
 * A warning that Helm logs while it merges values. One about values is plain text, and one about
 * dependencies has attributes.
 */
export interface ValueWarning {
  message: string;
  attributes?: Readonly<Record<string, string>>;
}

/** Returns a function for the merge of values that adds its warnings to a list. */
export function warningsInto(list: ValueWarning[]) {
  return (message: string, attributes?: ValueWarning['attributes']): void => {
    list.push({ message, ...(attributes && { attributes }) });
  };
}

export function valueWarningText({ message, attributes = {} }: ValueWarning): string {
  return [message, ...Object.entries(attributes).map(([name, value]) => `${name}=${value}`)].join(' ');
}
