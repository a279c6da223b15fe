import type { ValueMap } from '../../go/value.ts';
import type { HelmLog } from '../helm-log.ts';
import type { ThreadedRenderer } from '../../render/renderer.ts';

/** How charts are linted. */
export interface LintOptions {
  /** What the user gave. */
  values: ValueMap;
  namespace: string;
  kubeVersion: string | undefined;
  skipSchemaValidation: boolean;
  renderer: Pick<ThreadedRenderer, 'renderFiles'>;
  helm: HelmLog;
}
