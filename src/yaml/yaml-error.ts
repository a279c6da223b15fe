/** YAML that cannot be read, or a value that cannot be written. `message` is Go's text, but for the wording of syntax errors. */
export class YamlError extends Error {
  override readonly name: string = 'YamlError';
  readonly code = 'yaml_invalid';
  /** The line of a syntax error, from 1. */
  readonly line: number | undefined;

  constructor(message: string, line?: number) {
    super(message);
    this.line = line;
  }
}
