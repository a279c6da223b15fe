import { kubeObjectStorage } from './kube-object.ts';
import type { KubeStorageOptions } from './kube-storage-options.ts';
import type { ReleaseStorage } from './storage.ts';

/**
 * Stores each revision in a Secret, as Helm does by default (pkg/storage/driver/secrets.go). Its
 * data has a second layer of base64, that of the API.
 */
export function secretStorage(options: KubeStorageOptions): ReleaseStorage {
  return kubeObjectStorage(
    {
      kind: 'Secret',
      type: 'helm.sh/release.v1',
      toData: (encoded) => Buffer.from(encoded).toString('base64'),
      fromData: (data) => Buffer.from(data, 'base64').toString('latin1'),
    },
    options,
  );
}
