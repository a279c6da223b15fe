import type { ClusterCapabilities } from '../../objects/cluster.ts';
import type { ReleaseSettings } from '../../render/release-renderer.ts';
import { knownApiVersions } from '../../render/scope/api-versions.ts';
import { defaultKubeVersion } from '../../render/scope/capabilities.ts';
import { OperationError } from '../error.ts';
import type { DeployOptions } from '../request.ts';

export type SettingsRequest = Pick<
  DeployOptions,
  'dryRun' | 'hideSecret' | 'offline' | 'renderSubchartNotes' | 'skipSchemaValidation'
>;

/** Capabilities of `helm install --dry-run=client`, which does not ask the cluster. */
export const offlineCapabilities: ClusterCapabilities = {
  version: { gitVersion: defaultKubeVersion, major: '1', minor: '36' },
  apiVersions: [...knownApiVersions],
};

/** Whether a dry run reads no objects from the cluster. */
export function isOffline({ dryRun, offline }: SettingsRequest): boolean {
  return dryRun === true && offline === true;
}

/** Returns the settings of a render that a request asks for. Throws `bad_payload`. */
export function renderSettings({
  dryRun = false,
  hideSecret = false,
  renderSubchartNotes = false,
  skipSchemaValidation = false,
}: SettingsRequest): Pick<ReleaseSettings, 'options' | 'hideSecrets'> {
  if (hideSecret && !dryRun) {
    throw new OperationError('bad_payload', 'hiding Kubernetes secrets requires a dry-run mode');
  }
  return { options: { subchartNotes: renderSubchartNotes, skipSchemaValidation }, hideSecrets: hideSecret };
}
