import { createRenderer, type RendererOptions, type ThreadedRenderer } from '../render/renderer.ts';
import { moduleUrl } from './module-url.ts';

/** A renderer whose threads run this program's module for them. */
export function localRenderer(options: Omit<RendererOptions, 'workerUrl'>): ThreadedRenderer {
  return createRenderer({ workerUrl: moduleUrl('render-worker', import.meta.url), ...options });
}
