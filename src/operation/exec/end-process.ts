import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster, ContainerProcess, ContainerRef } from '../../objects/cluster.ts';

/** Ctrl-C and Ctrl-D, which a terminal takes for an interrupt and the end of the input. */
const hangUpKeys = [Buffer.of(3), Buffer.of(4)];

/**
 * Time for a program to read a key before the next one, which some drop with an interrupt, or
 * before the connection is closed, in milliseconds.
 */
const keyMs = 300;

/** Time for a program to end by itself before it is killed, and for all of that. */
const [graceSeconds, killMs] = [5, 20_000];

/** Sends a signal to all processes whose environment has a text, and kills those that stay. */
const killScript = `each() {
  found=1
  for p in /proc/[0-9]*; do
    if grep -qs "$mark" "$p/environ" && kill "-$1" "\${p#/proc/}" 2>/dev/null; then found=0; fi
  done
  return $found
}
mark=$0 left=${graceSeconds}
each "$1" || exit 0
while [ $left -gt 0 ]; do sleep 1; each 0 || exit 0; left=$((left - 1)); done
each KILL
exit 0`;

/** A program that is ended with its session. */
export interface KillableProgram {
  /** The command that starts it: an `env` that marks it and all programs that it starts. */
  command: string[];
  /** Ends these programs. Rejects if the container has no `sh`, or the cluster refuses. */
  kill: (cluster: Pick<Cluster, 'exec'>, target: ContainerRef) => Promise<void>;
}

/** Returns how the program of the session with an id is started, and ended. */
export function killableProgram(id: string, command: readonly string[], tty: boolean): KillableProgram {
  const mark = `HELM_AGENT_SESSION=${createHash('sha256').update(id).digest('hex').slice(0, 32)}`;
  return {
    command: ['env', mark, ...command],
    async kill(cluster, target) {
      const words = ['sh', '-c', killScript, mark, tty ? 'HUP' : 'TERM'];
      const options = { command: words, input: false, tty: false, signal: AbortSignal.timeout(killMs) };
      const process = await cluster.exec(target, options);
      try {
        await Readable.from(process.output()).toArray(); // it has none, and ends
        if (process.exitCode !== 0) throw new Error(`the shell has ended with ${process.exitCode}`);
      } finally {
        process.close();
      }
    },
  };
}

/**
 * Closes the connection to a process that continues. In a terminal with an input, Ctrl-C and Ctrl-D
 * come first, with which shells and most programs end. Never rejects.
 */
export async function hangUp(process: ContainerProcess, hasKeys: boolean): Promise<void> {
  for (const key of hasKeys ? hangUpKeys : []) {
    await process.write(key).catch(() => undefined); // the connection may be lost
    await sleep(keyMs);
  }
  process.close();
}
