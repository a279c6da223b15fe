import { codeOf, messageOf } from '../../errors/index.ts';
import { type FieldProblem, OperationError } from '../error.ts';
import type { ResourceStatus } from '../resource-status.ts';
import { notReadyText } from '../wait/limits.ts';
import { quotesPod, redactedResources, redactedTexts } from './redacted-resources.ts';
import type { Redaction } from './release-redaction.ts';

/** Time for redacting the error of a command, in milliseconds: its message is worth a wait. */
const errorTime = 30_000;

/**
 * Returns an error without the secrets that it quotes. If they are not known, it does not have its
 * own message, and only says which resources are not ready.
 */
export async function redactedError(error: unknown, redaction: Redaction, abandon?: AbortSignal): Promise<unknown> {
  const { resources = [], problems = [] } = error instanceof OperationError ? error : {};
  const message = messageOf(error);
  const redact = resources.some(quotesPod) ? redaction.ofPods : redaction.ofServer;
  const statuses = await redactedResources(resources, redaction, abandon, errorTime);
  const [shown, ...texts] = await redactedTexts([message, ...textsOf(problems)], redact, abandon, errorTime);
  if (shown === message && !isChanged(statuses, resources) && !isChanged(texts, textsOf(problems))) return error;
  const text = shown ?? unknownText(codeOf(error), statuses);
  const redacted = new OperationError(codeOf(error) ?? 'internal', text, {
    cause: error,
    resources: statuses,
    problems: problems.map((problem, index) => ({ ...problem, message: texts[index] ?? '' })),
  });
  return error instanceof Error && 'position' in error
    ? Object.assign(redacted, { position: error.position })
    : redacted;
}

function textsOf(problems: readonly FieldProblem[]): string[] {
  return problems.map(({ message }) => message);
}

function isChanged<Item>(items: readonly Item[], before: readonly Item[]): boolean {
  return items.some((item, index) => item !== before[index]);
}

function unknownText(code = 'internal', statuses: readonly ResourceStatus[]): string {
  if (statuses.length > 0) return statuses.map(notReadyText).join('\n');
  return `${code}: the message is not shown, because the secrets in it are not known`;
}
