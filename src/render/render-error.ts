/**
 * Position of an error in a chart. Lines count from 1, columns count bytes from 0, as in Go's error
 * texts. This holds for both engines.
 */
export interface RenderPosition {
  file: string;
  line?: number;
  column?: number;
}

/** Codes of this layer. Errors of lower layers keep their own, such as `values_invalid`. */
export type RenderErrorCode =
  | 'render_failed'
  | 'render_limit'
  | 'chart_incompatible'
  | 'kube_version_invalid'
  | 'engine_unknown'
  | 'engine_forbidden'
  | 'post_render_failed'
  | (string & {});

/** Thrown if a chart cannot be rendered. `message` is Helm's text if Helm has one. */
export class RenderError extends Error {
  override readonly name = 'RenderError';
  readonly code: RenderErrorCode;
  readonly position?: RenderPosition;

  constructor(
    code: RenderErrorCode,
    message: string,
    details: { position?: RenderPosition | undefined; cause?: unknown } = {},
  ) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined);
    this.code = code;
    if (details.position) this.position = details.position;
  }
}
