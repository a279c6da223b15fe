import { createRenderer, type ThreadedRenderer } from '../render/renderer.ts';
import { moduleUrl } from './module-url.ts';

/** A renderer for charts of this machine. */
export function localRenderer(options: { allowNunjucks: boolean }): ThreadedRenderer {
  return createRenderer({ workerUrl: moduleUrl('render-worker', import.meta.url), ...options });
}
