import { YamlError } from '../../yaml/yaml-error.ts';
import { RenderError } from '../render-error.ts';

/**
 * Returns the error for a rendered document that is not valid YAML, with Helm's text. Throws
 * `cause` itself if it is not a {@link YamlError}.
 */
export function unreadableManifest(path: string, cause: unknown): Error {
  if (!(cause instanceof YamlError)) throw cause;
  const message = `YAML parse error on ${path}: ${cause.message}`;
  return new RenderError('render_failed', message, { position: { file: path }, cause });
}
