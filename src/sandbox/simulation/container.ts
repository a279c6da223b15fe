import type { ContainerPlan } from './behaviour.ts';

/** Where a simulated container is; times are milliseconds of simulated time. */
type ContainerPhase =
  | { name: 'creating' }
  /** It cannot start: the image or what it refers to is missing. `attempts` counts what was tried. */
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
  /** How the run before this one ended. */
  last?: Extract<ContainerPhase, { name: 'ended' }>;
}

/** What a container asks of the world while it starts and stops. */
export interface ContainerWorld {
  /** Simulated time. */
  now: number;
  /** The same as Kubernetes writes it. */
  timestamp: string;
  /** Why the container cannot start, or undefined where it can. */
  obstacle(container: SimulatedContainer): { reason: string; message: string } | undefined;
  say(type: 'Normal' | 'Warning', reason: string, message: string, container: SimulatedContainer): void;
}

const firstRestart = 100;
/** As the kubelet: 10 s, doubled with each failure, 5 minutes at most. */
const firstBackOff = 10_000;
const longestBackOff = 300_000;

/** Moves a container on as far as it is due; answers when to look again, or undefined where it stays as it is. */
export function advance(container: SimulatedContainer, world: ContainerWorld): number | undefined {
  for (;;) {
    const due = dueTime(container);
    if (due === undefined || due > world.now) return due;
    step(container, world);
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
      return restartsAfter(phase.exitCode, restartPolicy) ? phase.at + firstRestart : undefined;
  }
}

function nextOf(since: number, plan: ContainerPlan): number | undefined {
  return plan.exitAfter === undefined ? undefined : since + plan.exitAfter;
}

/** When a container that runs becomes ready, if it is not yet. */
export function readyTime({ phase, plan }: SimulatedContainer): number | undefined {
  return phase.name === 'running' && plan.readyAfter !== undefined ? phase.since + plan.readyAfter : undefined;
}

function restartsAfter(exitCode: number, restartPolicy: string): boolean {
  return restartPolicy === 'Always' || (restartPolicy === 'OnFailure' && exitCode !== 0);
}

function step(container: SimulatedContainer, world: ContainerWorld): void {
  const { phase, plan } = container;
  switch (phase.name) {
    case 'creating':
      tryToStart(container, world, 0);
      return;
    case 'blocked':
      tryToStart(container, world, phase.attempts);
      return;
    case 'running':
      container.phase = {
        name: 'ended',
        exitCode: plan.exitCode,
        at: world.now,
        startedAt: phase.startedAt,
        finishedAt: world.timestamp,
      };
      return;
    case 'ended':
      container.last = phase;
      if (container.restarts === 0) restart(container, world);
      else backOff(container, world);
      return;
    case 'back-off':
      restart(container, world);
  }
}

function tryToStart(container: SimulatedContainer, world: ContainerWorld, attempts: number): void {
  const obstacle = world.obstacle(container);
  if (obstacle) {
    block(container, world, obstacle, attempts);
    return;
  }
  world.say(
    'Normal',
    'Pulled',
    `Container image ${JSON.stringify(container.image)} already present on machine`,
    container,
  );
  world.say('Normal', 'Created', `Container created`, container);
  start(container, world);
}

/** A failing pull is tried, waited for, and tried again; everything else is only looked at again. */
function block(
  container: SimulatedContainer,
  world: ContainerWorld,
  { reason, message }: { reason: string; message: string },
  attempts: number,
): void {
  if (reason !== 'ErrImagePull') {
    world.say('Warning', reason === 'CreateContainerConfigError' ? 'Failed' : reason, `Error: ${message}`, container);
    container.phase = { name: 'blocked', reason, message, attempts, until: world.now + 1000 };
    return;
  }
  const image = JSON.stringify(container.image);
  if (attempts % 2 === 0) {
    world.say('Normal', 'Pulling', `Pulling image ${image}`, container);
    world.say('Warning', 'Failed', `Failed to pull image ${image}: ${message}`, container);
    world.say('Warning', 'Failed', 'Error: ErrImagePull', container);
    container.phase = { name: 'blocked', reason, message, attempts: attempts + 1, until: world.now + 500 };
    return;
  }
  const waiting = Math.min(firstBackOff * 2 ** ((attempts - 1) / 2), longestBackOff);
  const text = `Back-off pulling image ${image}: ErrImagePull: ${message}`;
  world.say('Normal', 'BackOff', `Back-off pulling image ${image}`, container);
  world.say('Warning', 'Failed', 'Error: ImagePullBackOff', container);
  container.phase = {
    name: 'blocked',
    reason: 'ImagePullBackOff',
    message: text,
    attempts: attempts + 1,
    until: world.now + waiting,
  };
}

function start(container: SimulatedContainer, world: ContainerWorld): void {
  world.say('Normal', 'Started', `Container started`, container);
  container.phase = { name: 'running', since: world.now, startedAt: world.timestamp };
}

function restart(container: SimulatedContainer, world: ContainerWorld): void {
  container.restarts++;
  start(container, world);
}

function backOff(container: SimulatedContainer, world: ContainerWorld): void {
  const milliseconds = Math.min(firstBackOff * 2 ** (container.restarts - 1), longestBackOff);
  world.say('Warning', 'BackOff', `Back-off restarting failed container ${container.name}`, container);
  container.phase = { name: 'back-off', until: world.now + milliseconds, seconds: milliseconds / 1000 };
}
