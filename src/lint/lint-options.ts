import type { Notice } from '../chart/notice.ts';
import type { Warn } from '../chart/values/coalesce-tables.ts';
import type { ValueMap } from '../go/value.ts';
import type { RenderNotice } from '../render/notice.ts';
import type { ThreadedRenderer } from '../render/worker/threaded-renderer.ts';

/** How charts are linted. */
export interface LintOptions {
  /** What the user gave. */
  values: ValueMap;
  namespace: string;
  kubeVersion: string | undefined;
  skipSchemaValidation: boolean;
  renderer: Pick<ThreadedRenderer, 'renderFiles'>;
  helm: LintLog;
}

/** Receives the lines that Helm logs while it loads, merges and renders. */
export interface LintLog {
  notice: Notice;
  warn: Warn;
  rendering: (notice: RenderNotice) => void;
}
