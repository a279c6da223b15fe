import type { ValueMap } from '../../go/value.ts';
import type { ThreadedRenderer } from '../../render/renderer.ts';

/** How charts are linted. */
export interface LintOptions {
  /** What the user gave. */
  values: ValueMap;
  namespace: string;
  kubeVersion: string | undefined;
  skipSchemaValidation: boolean;
  renderer: Pick<ThreadedRenderer, 'renderFiles'>;
  /** Takes the lines that Helm logs. */
  log: (line: string) => void;
}
