/**
 * An error of reading or writing YAML. `message` is Go's text, except for the wording of some
 * syntax errors.
 */
export class YamlError extends Error {
  override readonly name: string = 'YamlError';
  readonly code = 'yaml_invalid';
  /** Line of a syntax error, from 1. */
  readonly line: number | undefined;

  constructor(message: string, line?: number) {
    super(message);
    this.line = line;
  }
}
