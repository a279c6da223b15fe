/** A chart does not exist, is invalid, or exceeds a size limit. */
export type ChartErrorCode = 'chart_invalid' | 'chart_not_found' | 'too_large';

/** A chart that cannot be loaded. `message` is Helm's if Helm has one. */
export class ChartError extends Error {
  override readonly name = 'ChartError';
  readonly code: ChartErrorCode;

  constructor(code: ChartErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
