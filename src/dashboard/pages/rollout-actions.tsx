import { useState } from 'preact/hooks';
import { useApp } from '../parts/app-context.ts';
import { Confirm } from '../parts/confirm.tsx';
import { hrefOf } from '../route/route.ts';
import type { Rollout } from '../server/types.ts';

type Decision = 'pause' | 'resume' | 'approve' | 'retry' | 'abort' | 'delete';

interface DecisionTexts {
  readonly button: string;
  readonly title: string;
  readonly text: string;
}

/** Whether a rollout has ended, so that aborting it means to undo it. */
function hasEnded({ phase }: Rollout): boolean {
  return phase === 'succeeded' || phase === 'failed' || phase === 'aborted';
}

/** Returns the decisions that a rollout can take now, with their texts. */
function decisionsOf(rollout: Rollout): [Decision, DecisionTexts][] {
  const { phase, wave, waves, waveStage, clusters } = rollout;
  const hasFailed = (clusters.failed ?? 0) + (clusters.stuck ?? 0) + (clusters.held ?? 0) + (clusters.stale ?? 0) > 0;
  const isEnded = hasEnded(rollout);
  const next = waveStage === 'approval' ? wave : wave + 1;
  const waits = waveStage === 'approval' || (waveStage === 'soaking' && next <= waves.length);
  const possible: [boolean, Decision, DecisionTexts][] = [
    [
      (phase === 'running' || phase === 'paused') && waits,
      'approve',
      {
        button: `Approve wave ${next}`,
        title: `Let wave ${next} begin?`,
        text: 'It does not wait any longer for the soak time of the wave before.',
      },
    ],
    [
      phase === 'running',
      'pause',
      { button: 'Pause', title: 'Pause the rollout?', text: 'No more clusters begin. What they perform now ends.' },
    ],
    [
      phase === 'paused',
      'resume',
      {
        button: 'Resume',
        title: 'Resume the rollout?',
        text: 'It continues, also in spite of the clusters that have failed so far.',
      },
    ],
    [
      phase === 'failed' || (hasFailed && phase !== 'aborted' && phase !== 'reverting'),
      'retry',
      { button: 'Retry', title: 'Try again?', text: 'Clusters that have failed get their turn again.' },
    ],
    [
      true,
      'abort',
      {
        button: isEnded ? 'Undo' : 'Abort',
        title: isEnded ? 'Undo the rollout?' : 'Abort the rollout?',
        text: 'No more clusters are updated, also not those that are away now.',
      },
    ],
    [
      isEnded,
      'delete',
      {
        button: 'Delete',
        title: 'Delete the rollout?',
        text: 'Its clusters stay as they are. Its values are deleted.',
      },
    ],
  ];
  return possible.flatMap(([isPossible, decision, texts]) => (isPossible ? [[decision, texts]] : []));
}

/** Buttons that decide about a rollout. */
export function RolloutActions({ rollout }: { rollout: Rollout }) {
  const [asked, setAsked] = useState<Decision>();
  const decisions = decisionsOf(rollout);
  const texts = decisions.find(([decision]) => decision === asked)?.[1];
  return (
    <div class="buttons">
      {decisions.map(([decision, { button }]) => (
        <button
          key={decision}
          type="button"
          class={decision === 'approve' ? 'primary' : decision === 'abort' ? 'danger' : undefined}
          onClick={() => setAsked(decision)}
        >
          {button}
        </button>
      ))}
      {asked && texts && (
        <DecisionDialog rollout={rollout} decision={asked} texts={texts} onClose={() => setAsked(undefined)} />
      )}
    </div>
  );
}

interface DecisionDialogProps {
  rollout: Rollout;
  decision: Decision;
  texts: DecisionTexts;
  onClose: () => void;
}

function DecisionDialog({ rollout, decision, texts, onClose }: DecisionDialogProps) {
  const { api, location } = useApp();
  const { id, wave, waveStage } = rollout;
  const mustUndo = hasEnded(rollout);
  // the wave that the dialog has named, also when the rollout has another one meanwhile
  const [next] = useState(waveStage === 'approval' ? wave : wave + 1);
  const [undo, setUndo] = useState(mustUndo);
  const bodies: Partial<Record<Decision, object>> = { approve: { wave: next }, abort: { undo } };
  const decide = async () => {
    const path = `/api/rollouts/${encodeURIComponent(id)}`;
    if (decision === 'delete') {
      await api.send('DELETE', path);
      location.go(hrefOf('rollouts', {}));
    } else await api.send('POST', `${path}/${decision}`, bodies[decision] ?? {});
  };
  const isDangerous = decision === 'abort' || decision === 'delete';
  return (
    <Confirm title={texts.title} action={texts.button} isDangerous={isDangerous} onConfirm={decide} onClose={onClose}>
      <p>{texts.text}</p>
      {decision === 'abort' && (
        <label class="choice">
          <input
            type="checkbox"
            name="undo"
            checked={undo}
            disabled={mustUndo}
            onChange={(event) => setUndo(event.currentTarget.checked)}
          />
          Return its clusters to their last good revisions
        </label>
      )}
    </Confirm>
  );
}
