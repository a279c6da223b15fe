import { OperationError } from '../error.ts';
import type { ResourceStatus } from '../resource-status.ts';
import type { OperationState } from '../state/operation-state.ts';
import type { StepTools } from '../steps/step-runner.ts';
import { timeLimit } from '../time-limit.ts';
import type { Work } from '../work.ts';
import { collectEvidence } from './collect-evidence.ts';
import type { ContainerEvidence, Evidence, ResourceEvidence } from './evidence.ts';
import { limitedEvidence } from './size-limit.ts';
import { redactionOfWork } from './work-redaction.ts';

/** Time for collecting evidence, in milliseconds. The operation is undone after it. */
const collectionTime = 10_000;

/** Number of lines of a log in the error of an operation. */
const errorLogLines = 5;

/** Errors of waits about resources. A cancelled operation is undone without delay. */
const codes: ReadonlySet<string> = new Set(['not_ready', 'hook_failed', 'timeout']);

/**
 * Runs a wait. If it fails, reports the evidence about the resources that are not ready, redacted
 * and before anything is undone, and throws the error with the ends of their logs.
 */
export async function withEvidence(
  state: OperationState,
  work: Work<unknown>,
  tools: StepTools,
  wait: () => Promise<void>,
): Promise<void> {
  try {
    await wait();
  } catch (error) {
    if (!(error instanceof OperationError) || !codes.has(error.code)) throw error;
    if (work.context.abandon?.aborted === true) throw error;
    const evidence = await evidenceOf(state, work, error.resources);
    if (evidence.resources.length > 0) tools.report({ evidence });
    const resources = error.resources.map((resource, index) => withLog(resource, evidence.resources[index]));
    throw new OperationError(error.code, error.message, { cause: error, resources, problems: error.problems });
  }
}

async function evidenceOf(
  state: OperationState,
  work: Work<unknown>,
  resources: readonly ResourceStatus[],
): Promise<Evidence> {
  if (resources.length === 0) return { resources: [] };
  const { cluster, abandon, startTimer } = work.context;
  const limit = timeLimit(collectionTime, [abandon], startTimer);
  const { signal } = limit;
  try {
    const { ofPods } = redactionOfWork(() => state, work);
    await ofPods([], signal); // fails if the secrets are not known
    const redact = async (text: string) => (await ofPods([text], signal))[0] ?? '';
    return limitedEvidence(await collectEvidence(resources, { cluster, redact, signal }));
  } catch {
    return { resources: [] }; // without the release, its secrets are not known
  } finally {
    limit.close();
  }
}

/** Adds the end of the log of the container that has most likely failed. */
function withLog(resource: ResourceStatus, evidence: ResourceEvidence | undefined): ResourceStatus {
  const containers = (evidence?.pods ?? []).flatMap(({ containers: all }) => all);
  const failed = containers.find(({ state, log }) => log !== undefined && !state.startsWith('running'));
  const log = logOf(failed ?? containers.find(({ log: any }) => any !== undefined));
  return log === undefined ? resource : { ...resource, log };
}

function logOf(container: ContainerEvidence | undefined): string | undefined {
  const log = container?.log ?? container?.previousLog;
  return log?.trimEnd().split('\n').slice(-errorLogLines).join('\n');
}
