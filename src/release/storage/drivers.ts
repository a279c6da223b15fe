import type { ObjectFormat } from './revision-object.ts';

/** How each driver stores a revision. */
export const drivers = {
  /** Helm's default (pkg/storage/driver/secrets.go). The data has a second layer of base64. */
  secret: {
    kind: 'Secret',
    type: 'helm.sh/release.v1',
    toData: (encoded) => Buffer.from(encoded).toString('base64'),
    fromData: (data) => Buffer.from(data, 'base64').toString('latin1'),
  },
  /** Helm's `HELM_DRIVER=configmap` (pkg/storage/driver/cfgmaps.go). */
  configmap: { kind: 'ConfigMap', toData: (encoded) => encoded, fromData: (data) => data },
} as const satisfies Record<string, ObjectFormat>;

/** A driver by Helm's name for it. */
export type StorageDriver = keyof typeof drivers;

export const storageDrivers = Object.keys(drivers) as StorageDriver[]; // they are the keys of a literal
