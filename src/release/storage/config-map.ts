import { kubeObjectStorage } from './kube-object.ts';
import type { KubeStorageOptions } from './kube-storage-options.ts';
import type { ReleaseStorage } from './storage.ts';

/**
 * Stores each revision in a ConfigMap, as Helm does with `HELM_DRIVER=configmap`
 * (pkg/storage/driver/cfgmaps.go).
 */
export function configMapStorage(options: KubeStorageOptions): ReleaseStorage {
  return kubeObjectStorage({ kind: 'ConfigMap', toData: (encoded) => encoded, fromData: (data) => data }, options);
}
