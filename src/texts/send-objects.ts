import { readObjects } from '../render/manifest/read-objects.ts';
import type { ManifestObject } from '../render/release-renderer.ts';
import type { TaskTools } from '../threads/tasks.ts';
import { countObjectNodes, requireObjectCount } from './budget.ts';
import type { TextLimits } from './limits.ts';
import type { NodeCounter } from './node-counter.ts';
import { createPartSender } from './part-sender.ts';

/** Sends the objects of texts in parts. All texts have one budget together. */
export interface ObjectSender {
  /** Sends the objects of a text, and returns their number. */
  send(text: string, prefix: string): number;
}

/** @param subject start of the error when there are too many nodes: `the manifest has` */
export function createObjectSender(
  subject: string,
  limits: TextLimits,
  mayBeLarge: boolean,
  { sendPart }: TaskTools,
): ObjectSender {
  const nodes: NodeCounter = countObjectNodes(subject, limits, mayBeLarge);
  return {
    send(text, prefix) {
      const parts = createPartSender<ManifestObject>(sendPart, nodes);
      let count = 0;
      for (const object of readObjects(text, prefix)) {
        count++;
        requireObjectCount(count, limits, `${prefix}: ${object.source}: the manifest has`);
        parts.add(object);
      }
      parts.end();
      return count;
    },
  };
}
