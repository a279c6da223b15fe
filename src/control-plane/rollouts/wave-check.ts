import { sleep } from '../../async/index.ts';
import type { DeliveryOutcome } from '../webhooks/deliver-webhook.ts';
import type { Rollout } from './rollout.ts';

/** Asks a webhook whether the next wave may begin. Rejects only with the signal's reason. */
export type AskWebhook = (webhookId: string, question: WaveQuestion, signal: AbortSignal) => Promise<DeliveryOutcome>;

/** The question about a wave. It is the same each time, with the same id. */
interface WaveQuestion {
  readonly id: string;
  readonly rolloutId: string;
  /** Number of the wave that is done, from 1. */
  readonly wave: number;
}

/** Time between two questions, in milliseconds. */
const pauseMs = 15_000;

/** The statuses that say "not yet", beside those of 500 and more. */
const laterStatuses: ReadonlySet<number> = new Set([202, 408, 425, 429]);

/** Whether the present wave waits for the answer of its check. */
export function awaitsCheck({ plan, status }: Pick<Rollout, 'plan' | 'status'>): boolean {
  const { phase, waveStage, checked = 0, wave } = status;
  return plan.spec.check !== undefined && phase === 'running' && waveStage === 'checking' && checked <= wave;
}

/**
 * Asks the check of the present wave until it says yes or no. A receiver that cannot be reached has
 * said nothing. Rejects only with the signal's reason.
 */
export async function askCheck({ plan, status }: Rollout, ask: AskWebhook, signal: AbortSignal): Promise<boolean> {
  const { id: rolloutId, uid, spec } = plan;
  const wave = status.wave + 1;
  const question = { id: `${uid}_check_${wave}_${status.since}`, rolloutId, wave };
  for (;;) {
    const outcome = await ask(spec.check ?? '', question, signal);
    const answer = 'status' in outcome ? answerOf(outcome.status) : undefined;
    if (answer !== undefined) return answer;
    await sleep(pauseMs, signal);
  }
}

function answerOf(status: number): boolean | undefined {
  if (status >= 500 || laterStatuses.has(status)) return undefined;
  return status >= 200 && status < 300;
}
