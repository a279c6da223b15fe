import { useEffect, useState } from 'preact/hooks';
import { asError } from '../../errors/index.ts';
import { useApp } from '../parts/app-context.ts';
import { oncePerFrame } from '../parts/once-per-frame.ts';
import type { ServerEvent } from '../server/events.ts';
import type { Rollout, RolloutCluster } from '../server/types.ts';

export interface FollowedRollout {
  /** Undefined until it has arrived. */
  readonly rollout: Rollout | undefined;
  /** The clusters by the id of their agent, in the order of the waves. */
  readonly clusters: ReadonlyMap<string, RolloutCluster>;
  /** Whether the control plane sends events now. */
  readonly isConnected: boolean;
  readonly error: Error | undefined;
}

/** Follows a rollout and its clusters. They are drawn once for each frame of the screen. */
export function useRollout(id: string): FollowedRollout {
  const { api } = useApp();
  const [followed, setFollowed] = useState<FollowedRollout>(() => beginning());
  useEffect(() => {
    const gone = new AbortController();
    const clusters = new Map<string, RolloutCluster>();
    let rollout: Rollout | undefined;
    const change = (changes: Partial<FollowedRollout>) => setFollowed((last) => ({ ...last, ...changes }));
    const draw = oncePerFrame(() => {
      if (!gone.signal.aborted) change({ rollout, clusters: new Map(clusters), error: undefined });
    });
    const read = ({ type, payload }: ServerEvent) => {
      // as docs/rollouts.md lists them
      if (type === 'rollout') rollout = payload as Rollout;
      const cluster = type === 'cluster' ? (payload as RolloutCluster) : undefined;
      if (cluster) clusters.set(cluster.agentId, cluster);
      draw();
    };
    const follow = async () => {
      const onConnected = (isConnected: boolean) => change({ isConnected });
      const path = `/api/rollouts/${encodeURIComponent(id)}/events`;
      for await (const event of api.events(path, { signal: gone.signal, onConnected })) read(event);
    };
    setFollowed(beginning());
    follow().catch((reason: unknown) => {
      if (!gone.signal.aborted) change({ error: asError(reason) });
    });
    return () => gone.abort();
  }, [id]);
  return followed;
}

function beginning(): FollowedRollout {
  return { rollout: undefined, clusters: new Map(), isConnected: true, error: undefined };
}
