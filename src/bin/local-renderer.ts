import { createRenderer, type RendererOptions, type ThreadedRenderer } from '../render/renderer.ts';
import { moduleUrl } from './module-url.ts';

/** Creates a renderer whose threads run the module `render-worker` of this program. */
export function localRenderer(options: Omit<RendererOptions, 'workerUrl'>): ThreadedRenderer {
  return createRenderer({ workerUrl: moduleUrl('render-worker', import.meta.url), ...options });
}
