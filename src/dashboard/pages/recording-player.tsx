import { useEffect, useRef, useState } from 'preact/hooks';
import { asError } from '../../errors/index.ts';
import { useApp } from '../parts/app-context.ts';
import { Badge } from '../parts/badge.tsx';
import { ErrorMessage } from '../parts/message.tsx';
import { readRecording, type Recording, withoutPauses } from '../terminal/asciicast.ts';
import { Player } from '../terminal/player.ts';
import { useScreen } from '../terminal/use-screen.ts';
import { foreignName } from '../text/foreign-text.ts';
import { clockText } from '../text/time-text.ts';

const speeds = [0.5, 1, 2, 4, 8] as const;

/** Steps of the keys with arrows, in milliseconds. */
const stepMs = 5000;

/** Plays the recording of a session. */
export function RecordingPlayer({ commandKey }: { commandKey: string }) {
  const { api } = useApp();
  const { element, screen, error: loadError } = useScreen({ label: 'The recording' });
  const [recording, setRecording] = useState<Recording>();
  const [error, setError] = useState<Error>();
  const [skipsPauses, setSkipsPauses] = useState(true);
  const [, setRound] = useState(0);
  const player = useRef<Player>(undefined);
  useEffect(() => {
    const gone = new AbortController();
    const load = async () => {
      const path = `/api/commands/${encodeURIComponent(commandKey)}/recording`;
      setRecording(await readRecording(await api.bytes(path, gone.signal)));
    };
    load().catch((reason: unknown) => {
      if (!gone.signal.aborted) setError(asError(reason));
    });
    return () => gone.abort();
  }, [commandKey]);
  useEffect(() => {
    if (!screen || !recording) return undefined;
    screen.reset();
    const { size, events } = recording;
    const created = new Player({
      screen,
      recording: { size, events: skipsPauses ? withoutPauses(events) : events },
      onChange: () => setRound((last) => last + 1),
      now: () => performance.now(),
      nextFrame(call) {
        const id = requestAnimationFrame(call);
        return () => cancelAnimationFrame(id);
      },
    });
    created.speed = player.current?.speed ?? 1;
    player.current = created;
    created.play();
    return () => created.pause();
  }, [screen, recording, skipsPauses]);
  const problem = error ?? loadError;
  if (problem) return <ErrorMessage error={problem} />;
  return (
    <section class="player">
      {recording?.isCut === true && (
        <p class="notice">
          The recording is long; this is its beginning. <code>helm-agent ctl recording get</code> has all of it.
        </p>
      )}
      <div ref={element} class="screen recorded" role="region" aria-label="The recording" />
      <Controls player={player.current} skipsPauses={skipsPauses} onSkipPauses={setSkipsPauses} />
    </section>
  );
}

interface ControlsProps {
  player: Player | undefined;
  skipsPauses: boolean;
  onSkipPauses: (isOn: boolean) => void;
}

function Controls({ player, skipsPauses, onSkipPauses }: ControlsProps) {
  const { position = 0, duration = 0, isPlaying = false, speed = 1, mark = '' } = player ?? {};
  return (
    <div class="controls">
      <button
        type="button"
        class="primary"
        disabled={!player}
        onClick={() => (isPlaying ? player?.pause() : player?.play())}
      >
        {isPlaying ? 'Pause' : 'Play'}
      </button>
      <input
        type="range"
        aria-label="Position"
        aria-valuetext={`${clockText(position)} of ${clockText(duration)}`}
        min={0}
        max={Math.ceil(duration)}
        step={1}
        value={Math.round(position)}
        onInput={(event) => player?.seek(Number(event.currentTarget.value))}
        onKeyDown={(event) => {
          const step = event.key === 'ArrowRight' ? stepMs : event.key === 'ArrowLeft' ? -stepMs : undefined;
          if (step === undefined) return;
          event.preventDefault();
          player?.seek(position + step);
        }}
      />
      <span class="clock">
        {clockText(position)} / {clockText(duration)}
      </span>
      <label class="choice">
        <span>Speed</span>
        <select
          value={String(speed)}
          onChange={(event) => {
            if (player) player.speed = Number(event.currentTarget.value);
          }}
        >
          {speeds.map((one) => (
            <option key={one} value={String(one)}>
              {one}×
            </option>
          ))}
        </select>
      </label>
      <label class="choice">
        <input type="checkbox" checked={skipsPauses} onChange={(event) => onSkipPauses(event.currentTarget.checked)} />
        Short pauses
      </label>
      {mark !== '' && <Badge tone="quiet">{foreignName(mark)}</Badge>}
    </div>
  );
}
