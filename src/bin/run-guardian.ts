import { randomBytes, randomUUID } from 'node:crypto';
import { sleep } from '../async/index.ts';
import type { GuardSettings } from '../cli/guard/settings.ts';
import { processLogger } from '../compose/logger.ts';
import { containerMemoryMb } from '../compose/process-memory.ts';
import { stopSignal } from '../compose/stop-signal.ts';
import { version } from '../compose/version.ts';
import { openWorkers } from '../compose/worker-threads.ts';
import { clusterPlans, SigningKey } from '../journal/index.ts';
import { connectCluster } from '../kube/index.ts';
import { lookAtCandidate } from '../operation/agent-upgrade/candidate.ts';
import { guard } from '../operation/agent-upgrade/guard.ts';
import { guardedRelease } from '../operation/agent-upgrade/guarded-release.ts';
import { trialSecret } from '../operation/agent-upgrade/trial.ts';
import { createTracker } from '../operation/tracker/tracker.ts';
import type { ReleaseError } from '../release/error.ts';
import { openStorage } from '../release/storage/kube-storage.ts';
import { processHost } from '../render/process-host.ts';

/** Guards the upgrade of the agent in whose namespace this pod is, until it has ended. */
export async function runGuardian({ agentId, storageDriver, trustReleases }: GuardSettings): Promise<void> {
  const log = processLogger();
  const guardian = randomUUID();
  const cluster = connectCluster('service-account', { random: Math.random });
  const { namespace } = cluster;
  const host = processHost();
  const workers = openWorkers({ allowNunjucks: false, memoryLimitMb: containerMemoryMb() });
  const tracker = createTracker(cluster);
  const onProblem = (message: string, fields: object) => {
    log.warn(fields, message);
  };
  const onUnreadable = ({ code, message: reason }: ReleaseError) => {
    onProblem('skipped an unreadable release', { code, reason });
  };
  const isRequired = trustReleases === 'own';
  const signingKey = new SigningKey({ cluster, namespace, random: randomBytes, onProblem, isRequired });
  const storage = openStorage(storageDriver, {
    ...{ cluster, host, codec: workers.codec, onUnreadable },
    // not that of the agent, which would take an unfinished revision for one of its own
    holder: { agentId: `${agentId}/guardian`, instanceId: guardian },
    signingKey: () => signingKey.bytes,
  });
  const stopping = new AbortController();
  void stopSignal().then((signal) => {
    log.info({ signal }, 'the guardian is stopping');
    stopping.abort(new Error('the guardian is stopping'));
  });
  log.info({ agentId, version, guardian }, 'guarding the upgrade of the agent');
  const { signal } = stopping;
  const release = guardedRelease({
    ...{ cluster, storage, tracker, trustReleases, host, signal, abandon: signal },
    ...{ renderer: workers.renderer, redactor: workers.redactor },
    plans: clusterPlans({ cluster, namespace, agentId, now: Date.now, onProblem }),
    progress: ({ step, state, message }) => {
      log.info({ step, state, detail: message }, 'progress');
    },
  });
  try {
    await signingKey.load();
    const store = trialSecret(cluster, namespace, agentId);
    const outcome = await guard(
      {
        ...release,
        store,
        look: (trial) => lookAtCandidate(cluster, trial, signal),
        signal,
        now: Date.now,
        pause: (milliseconds) => sleep(milliseconds, signal),
        onProblem,
      },
      guardian,
    );
    log.info({ outcome }, 'the guardian has ended');
    // its Job then starts another one, in case the other one ends as well
    if (outcome === 'taken-over') throw new Error('another guardian has taken the upgrade over');
  } finally {
    await tracker.close();
    await Promise.all([workers.close(), cluster.close()]);
  }
}
