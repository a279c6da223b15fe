import {
  createThreadedRenderer,
  type RendererOptions,
  type ThreadedRenderer,
} from '../render/worker/threaded-renderer.ts';
import { moduleUrl } from './module-url.ts';

/** Creates a renderer whose threads run the module `render-worker` of this program. */
export function localRenderer(options: Omit<RendererOptions, 'workerUrl'>): ThreadedRenderer {
  return createThreadedRenderer({ workerUrl: moduleUrl('render-worker', import.meta.url), ...options });
}
