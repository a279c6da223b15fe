import { YamlError } from '../../yaml/yaml-error.ts';
import { RenderError } from '../render-error.ts';

/** The error for a rendered document that is no manifest, with Helm's text; a defect is thrown on. */
export function unreadableManifest(path: string, cause: unknown): Error {
  if (!(cause instanceof YamlError)) throw cause;
  const message = `YAML parse error on ${path}: ${cause.message}`;
  return new RenderError('render_failed', message, { position: { file: path }, cause });
}
