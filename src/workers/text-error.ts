/**
 * A text that is larger than allowed, or large in a command that has no turn for it, or values that
 * are not valid YAML.
 */
export class TextError extends Error {
  override readonly name = 'TextError';
  readonly code: 'too_large' | 'large_text' | 'values_invalid';
  readonly position: { file: string; line?: number } | undefined;

  constructor(code: TextError['code'], message: string, position?: TextError['position'], cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
    this.position = position;
  }
}
