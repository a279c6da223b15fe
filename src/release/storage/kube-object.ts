import { readStoredRevisions } from './kube-object-reads.ts';
import { writeStoredRevisions } from './kube-object-writes.ts';
import type { KubeStorageOptions } from './kube-storage-options.ts';
import type { ObjectFormat } from './revision-object.ts';
import type { ReleaseStorage } from './storage.ts';

/** Stores each revision in an object named `sh.helm.release.v1.NAME.vN`, with Helm's labels. */
export function kubeObjectStorage(format: ObjectFormat, options: KubeStorageOptions): ReleaseStorage {
  return { ...readStoredRevisions(format, options), ...writeStoredRevisions(format, options) };
}
