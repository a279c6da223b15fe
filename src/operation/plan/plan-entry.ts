import { createHash } from 'node:crypto';
import { jsonText, parseJsonText } from '../../objects/json-text.ts';
import type { InstallRequest, RollbackRequest, UninstallRequest, ValuesRequest } from '../request.ts';
import type { PlannedChange } from './planned-change.ts';

type PlanAction = 'install' | 'upgrade' | 'rollback' | 'uninstall';

/** A recorded plan. Plain JSON data; it has the values of Secrets. */
export interface PlanEntry {
  /** Version of this shape. */
  format: 1;
  /** `NAMESPACE/NAME@DIGEST`. */
  id: string;
  /** Random text that keeps the digest from telling anything about the content. */
  salt: string;
  /** Milliseconds since 1970 at which the plan is no longer performed. */
  expiresAt: number;
  content: PlanContent;
}

/** The part of a plan that its digest covers. */
export interface PlanContent extends PlannedChange {
  action: PlanAction;
  /** The service account that has made the plan, with its rights. Default: the agent itself. */
  account?: string | undefined;
  /** The options of the operation. */
  request: PlainRequest;
  /** The fields of the command that the plan is made for, for the policy. Default: unknown. */
  given?: object;
}

/** The options of a request that are plain data. */
export type PlainRequest = Omit<
  InstallRequest & RollbackRequest & UninstallRequest,
  'loadChart' | 'planned' | 'postRender' | 'preview' | keyof ValuesRequest
>;

/** Returns the id of a plan, which has the digest of its content. */
export function planId({ salt, content }: Pick<PlanEntry, 'salt' | 'content'>): string {
  const { namespace, releaseName } = content.request;
  const digest = createHash('sha256')
    .update(jsonText([salt, content]))
    .digest('hex');
  return `${namespace}/${releaseName}@${digest}`;
}

/** Returns a plan as text, from which {@link readPlan} reads it. */
export function planText(entry: PlanEntry): string {
  return jsonText(entry);
}

/** Reads a plan. Only objects have exact integers: the values of a release are numbers. */
export function readPlan(text: string): PlanEntry {
  const entry = JSON.parse(text) as PlanEntry; // as `planText` wrote it
  const { crds } = (parseJsonText(text) as PlanEntry).content;
  return { ...entry, content: { ...entry.content, crds } };
}
