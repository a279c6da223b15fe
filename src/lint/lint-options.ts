import type { Notice } from '../chart/load/chart-content.ts';
import type { Warn } from '../chart/values/coalesce-tables.ts';
import type { ValueMap } from '../go/value.ts';
import type { RenderNotice } from '../render/notice.ts';
import type { ThreadedRenderer } from '../render/worker/threaded-renderer.ts';

/** Options for linting a chart. */
export interface LintOptions {
  /** Values given by the user. */
  values: ValueMap;
  namespace: string;
  kubeVersion: string | undefined;
  skipSchemaValidation: boolean;
  renderer: Pick<ThreadedRenderer, 'renderFiles'>;
  helm: LintLog;
}

/** Receives the lines that Helm logs when it loads, merges and renders. */
interface LintLog {
  notice: Notice;
  warn: Warn;
  rendering: (notice: RenderNotice) => void;
}
