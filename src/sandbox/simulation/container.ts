import type { ContainerPlan } from './behaviour.ts';

/** Phase of a simulated container. Times are simulated milliseconds. */
type ContainerPhase =
  | { name: 'creating' }
  /** It cannot start: its image, or an object that it refers to, is missing. */
  | { name: 'blocked'; reason: string; message: string; attempts: number; until: number }
  | { name: 'running'; since: number; startedAt: string }
  | { name: 'ended'; exitCode: number; at: number; startedAt: string; finishedAt: string }
  | { name: 'back-off'; until: number; seconds: number };

export interface SimulatedContainer {
  name: string;
  image: string;
  restartPolicy: string;
  plan: ContainerPlan;
  phase: ContainerPhase;
  restarts: number;
  /** End of the previous run. */
  last?: Extract<ContainerPhase, { name: 'ended' }>;
}

/** The time and the cluster of a container while it starts and stops. */
export interface ContainerContext {
  /** Simulated time in milliseconds. */
  now: number;
  /** The current time in the format of Kubernetes. */
  timestamp: string;
  /** Returns why the container cannot start, or undefined if it can. */
  startProblem(container: SimulatedContainer): { reason: string; message: string } | undefined;
  recordEvent(type: 'Normal' | 'Warning', reason: string, message: string, container: SimulatedContainer): void;
}

const firstRestartDelay = 100;
/** As in the kubelet: 10 s, doubled with each failure, at most 5 minutes. */
const firstBackOff = 10_000;
const maxBackOff = 300_000;

/**
 * Performs all steps of a container that are due. Returns the time of the next step, or undefined
 * if there is none.
 */
export function advance(container: SimulatedContainer, context: ContainerContext): number | undefined {
  for (;;) {
    const due = dueTime(container);
    if (due === undefined || due > context.now) return due;
    step(container, context);
  }
}

function dueTime({ phase, plan, restartPolicy }: SimulatedContainer): number | undefined {
  switch (phase.name) {
    case 'creating':
      return 0;
    case 'blocked':
    case 'back-off':
      return phase.until;
    case 'running':
      return nextOf(phase.since, plan);
    case 'ended':
      return restartsAfter(phase.exitCode, restartPolicy) ? phase.at + firstRestartDelay : undefined;
  }
}

function nextOf(since: number, plan: ContainerPlan): number | undefined {
  return plan.exitAfter === undefined ? undefined : since + plan.exitAfter;
}

/** Returns the time at which a running container becomes ready; undefined if it never does. */
export function readyTime({ phase, plan }: SimulatedContainer): number | undefined {
  return phase.name === 'running' && plan.readyAfter !== undefined ? phase.since + plan.readyAfter : undefined;
}

function restartsAfter(exitCode: number, restartPolicy: string): boolean {
  return restartPolicy === 'Always' || (restartPolicy === 'OnFailure' && exitCode !== 0);
}

function step(container: SimulatedContainer, context: ContainerContext): void {
  const { phase, plan } = container;
  switch (phase.name) {
    case 'creating':
      tryToStart(container, context, 0);
      return;
    case 'blocked':
      tryToStart(container, context, phase.attempts);
      return;
    case 'running':
      container.phase = {
        name: 'ended',
        exitCode: plan.exitCode,
        at: context.now,
        startedAt: phase.startedAt,
        finishedAt: context.timestamp,
      };
      return;
    case 'ended':
      container.last = phase;
      if (container.restarts === 0) restart(container, context);
      else backOff(container, context);
      return;
    case 'back-off':
      restart(container, context);
  }
}

function tryToStart(container: SimulatedContainer, context: ContainerContext, attempts: number): void {
  const problem = context.startProblem(container);
  if (problem) {
    block(container, context, problem, attempts);
    return;
  }
  context.recordEvent(
    'Normal',
    'Pulled',
    `Container image ${JSON.stringify(container.image)} already present on machine`,
    container,
  );
  context.recordEvent('Normal', 'Created', `Container created`, container);
  start(container, context);
}

/**
 * Blocks a container. A failed pull is followed by a back-off; every other problem is checked again
 * after a second.
 */
function block(
  container: SimulatedContainer,
  context: ContainerContext,
  { reason, message }: { reason: string; message: string },
  attempts: number,
): void {
  if (reason !== 'ErrImagePull') {
    context.recordEvent(
      'Warning',
      reason === 'CreateContainerConfigError' ? 'Failed' : reason,
      `Error: ${message}`,
      container,
    );
    container.phase = { name: 'blocked', reason, message, attempts, until: context.now + 1000 };
    return;
  }
  const image = JSON.stringify(container.image);
  if (attempts % 2 === 0) {
    context.recordEvent('Normal', 'Pulling', `Pulling image ${image}`, container);
    context.recordEvent('Warning', 'Failed', `Failed to pull image ${image}: ${message}`, container);
    context.recordEvent('Warning', 'Failed', 'Error: ErrImagePull', container);
    container.phase = { name: 'blocked', reason, message, attempts: attempts + 1, until: context.now + 500 };
    return;
  }
  const waiting = Math.min(firstBackOff * 2 ** ((attempts - 1) / 2), maxBackOff);
  const text = `Back-off pulling image ${image}: ErrImagePull: ${message}`;
  context.recordEvent('Normal', 'BackOff', `Back-off pulling image ${image}`, container);
  context.recordEvent('Warning', 'Failed', 'Error: ImagePullBackOff', container);
  container.phase = {
    name: 'blocked',
    reason: 'ImagePullBackOff',
    message: text,
    attempts: attempts + 1,
    until: context.now + waiting,
  };
}

function start(container: SimulatedContainer, context: ContainerContext): void {
  context.recordEvent('Normal', 'Started', `Container started`, container);
  container.phase = { name: 'running', since: context.now, startedAt: context.timestamp };
}

function restart(container: SimulatedContainer, context: ContainerContext): void {
  container.restarts++;
  start(container, context);
}

function backOff(container: SimulatedContainer, context: ContainerContext): void {
  const milliseconds = Math.min(firstBackOff * 2 ** (container.restarts - 1), maxBackOff);
  context.recordEvent('Warning', 'BackOff', `Back-off restarting failed container ${container.name}`, container);
  container.phase = { name: 'back-off', until: context.now + milliseconds, seconds: milliseconds / 1000 };
}
