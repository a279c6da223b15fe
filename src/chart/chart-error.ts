/** What can be wrong with a chart: it is broken, or larger than what is accepted. */
export type ChartErrorCode = 'chart_invalid' | 'too_large';

/** A chart that cannot be loaded. Where Helm has a text for it, `message` is Helm's. */
export class ChartError extends Error {
  override readonly name = 'ChartError';
  readonly code: ChartErrorCode;

  constructor(code: ChartErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
