import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { createMemoryStore, createSqliteStore, type SentCommand } from '../../src/control-plane/index.ts';
import { createMemoryJournal } from '../../src/journal/memory.ts';
import { testAgent } from '../agent/support/agent.ts';
import { type AgentProcess, agentProcess, type AgentProcessOptions } from './support/agent-process.ts';
import { tokensOf } from './support/credentials.ts';
import { temporaryFile } from './support/file.ts';
import { testPlane } from './support/plane.ts';

/** Suspects are sent to processes of 5 ms, and of 25 ms. */
const limits = { suspectAgeMs: 5 };

async function plane(t: ExecutionContext, options: Parameters<typeof testPlane>[1] = {}) {
  const { plane: own, agentUrl, lines } = await testPlane(t, { limits, ...options });
  let processes = 0;
  return {
    own,
    agentUrl,
    lines,
    /** Sends a command with a key to the agent. */
    send: (key: string, release = key): SentCommand =>
      own.send('edge-1', { key, type: 'install_release', payload: { release, chart: 'c' } }),
    /** Starts another process of the agent. */
    start: (part: Partial<AgentProcessOptions> = {}): Promise<AgentProcess> =>
      agentProcess(agentUrl, { instanceId: `process-${++processes}`, ...part }),
  };
}

/** Ends a process when it gets a command. */
const poison = (poisonKey: string) => (key: string, process: AgentProcess) => {
  if (key === poisonKey) process.crash();
  else process.accept(key);
};

/** Ends a process when it has got a number of commands, none of which it accepts. */
const dieWith = (count: number) => (_key: string, process: AgentProcess) => {
  if (process.received.length === count) process.crash();
};

const codeOf = async (command: SentCommand) => {
  const result = await command.result;
  return result.ok ? 'ok' : result.error.code;
};

/** Resolves when the command is accepted. */
async function accepted(command: SentCommand): Promise<void> {
  for await (const { type } of command) {
    if (type === 'accepted') return;
    if (type === 'result') throw new Error('the command has ended');
  }
}

test('a command that ends each process that gets it ends after the third, and the others are accepted', async (t) => {
  const { send, start, lines } = await plane(t);
  const first = await start({ onCommand: dieWith(4) });
  const commands = ['a', 'guilty', 'b', 'c'].map((key) => send(key));
  await first.closed;
  const second = await start({ onCommand: poison('guilty') });
  await second.closed;
  const third = await start({ onCommand: poison('guilty') });
  await third.closed;
  const last = await start();
  const [a, guilty, b, c] = commands as [SentCommand, SentCommand, SentCommand, SentCommand];
  t.is(await codeOf(guilty), 'continued_too_often');
  const result = await guilty.result;
  t.regex(result.ok ? '' : result.error.message, /^3 processes of the agent edge-1 have ended when they got the/);
  await Promise.all([a, b, c].map(accepted));
  t.deepEqual(second.received, ['a', 'guilty']);
  t.deepEqual(third.received, ['guilty']);
  t.deepEqual(last.received, ['b', 'c']);
  t.true(lines.some((line) => line.includes('a process of an agent has ended before it accepted commands')));
});

test('each of several such commands ends, in their order', async (t) => {
  const { send, start } = await plane(t);
  const guilty = new Set(['x', 'y']);
  const onCommand = (key: string, process: AgentProcess) => (guilty.has(key) ? process.crash() : process.accept(key));
  const first = await start({ onCommand: dieWith(4) });
  const [x, a, y, b] = ['x', 'a', 'y', 'b'].map((key) => send(key)) as [
    SentCommand,
    SentCommand,
    SentCommand,
    SentCommand,
  ];
  await first.closed;
  const received: string[][] = [];
  for (let count = 0; count < 4; count++) {
    const next = await start({ onCommand });
    await next.closed;
    received.push(next.received);
  }
  const last = await start({ onCommand });
  t.deepEqual(await Promise.all([codeOf(x), codeOf(y)]), ['continued_too_often', 'continued_too_often']);
  await Promise.all([accepted(a), accepted(b)]);
  t.deepEqual(received, [['x'], ['x'], ['a', 'y'], ['y']]);
  t.deepEqual(last.received, ['b']);
});

test('a process that has a suspect in its journal is asked for it at once', async (t) => {
  const { send, start } = await plane(t, { limits: { suspectAgeMs: 600_000 } });
  const first = await start({ onCommand: dieWith(2) });
  const [a, b] = ['a', 'b'].map((key) => send(key)) as [SentCommand, SentCommand];
  await first.closed;
  const second = await start({ onAsked: (key, process) => process.accept(key) });
  await Promise.all([a, b].map(accepted));
  t.deepEqual(second.received, []);
  const later = send('later');
  await accepted(later);
  t.deepEqual(second.received, ['later']);
});

test('a suspect that a process does not know is sent to it in its turn', async (t) => {
  const { send, start } = await plane(t);
  const first = await start({ onCommand: dieWith(2) });
  const [a, b] = ['a', 'b'].map((key) => send(key)) as [SentCommand, SentCommand];
  await first.closed;
  const second = await start({
    onAsked: (key, process) => process.disown(key),
    onCommand(key, process) {
      process.disown(key); // a late response
      process.accept(key);
    },
  });
  await Promise.all([a, b].map(accepted));
  t.deepEqual(second.received, ['a', 'b']);
});

test('commands that arrive while there are suspects wait for their turn, and are not suspects themselves', async (t) => {
  const { send, start, lines } = await plane(t);
  const first = await start({ onCommand: dieWith(2) });
  const before = ['a', 'guilty'].map((key) => send(key, 'web'));
  await first.closed;
  const second = await start({
    onCommand(key, process) {
      if (key === 'a') {
        later.push(send('new', 'web'));
        setTimeout(() => process.accept('a'), 20);
      } else process.crash();
    },
  });
  const later: SentCommand[] = [];
  await second.closed;
  t.deepEqual(second.received, ['a', 'guilty']);
  const third = await start({
    onCommand(key, process) {
      if (key === 'guilty') later.push(send('newer', 'web'));
      setTimeout(() => process.crash(), 20);
    },
  });
  await third.closed;
  const last = await start();
  await Promise.all(later.map(accepted));
  t.deepEqual([third.received, last.received], [['guilty'], ['new', 'newer']]);
  const suspects = lines.flatMap((line) => /"commands":(\d+).*ended before it accepted/.exec(line)?.[1] ?? []);
  t.deepEqual(suspects, ['2', '1', '1']);
  t.is(await codeOf(before[1] as SentCommand), 'continued_too_often');
});

test('lost connections of one process do not count', async (t) => {
  const { send, start } = await plane(t);
  const first = await start({ onCommand: dieWith(1) });
  const command = send('a');
  await first.closed;
  for (let connection = 1; connection <= 8; connection++) {
    const again = await start({ instanceId: 'second', connection, onCommand: dieWith(1) });
    await again.closed;
  }
  await start({ instanceId: 'second', connection: 9 });
  await accepted(command);
  t.is(command.state, 'accepted');
});

test('processes that end in order do not count', async (t) => {
  const { send, start } = await plane(t);
  const command = send.bind(undefined, 'a');
  const first = await start({ onCommand: (_key, process) => process.stop() });
  const sent = command();
  await first.closed;
  for (let count = 0; count < 5; count++) await (await start({ onCommand: (_key, process) => process.stop() })).closed;
  await start();
  await accepted(sent);
  t.is(sent.state, 'accepted');
});

test('processes that end for another reason before they get a suspect do not count', async (t) => {
  const { send, start } = await plane(t);
  const first = await start({ onCommand: dieWith(1) });
  const command = send('a');
  await first.closed;
  for (let count = 0; count < 5; count++) {
    const next = await start({ onPing: (process) => process.crash() }); // it was about to end
    await next.closed;
    t.deepEqual(next.received, []);
  }
  await start();
  await accepted(command);
  t.is(command.state, 'accepted');
});

test('processes that always end at the same age, for another reason, end no suspect', async (t) => {
  const { send, start } = await plane(t, { limits: { suspectAgeMs: 400 } });
  const first = await start({ onCommand: dieWith(1) });
  const command = send('a');
  await first.closed;
  const second = await start({ onCommand: dieWith(1) }); // of 100 ms
  await second.closed;
  for (let count = 0; count < 4; count++) {
    const next = await start();
    const timer = setTimeout(() => next.crash(), 100);
    await next.closed;
    clearTimeout(timer);
    t.deepEqual(next.received, []);
  }
  await start();
  await accepted(command);
  t.is(command.state, 'accepted');
});

test('a process that continues in another term did not end with a suspect', async (t) => {
  const { send, start } = await plane(t);
  const first = await start({ onCommand: dieWith(1) });
  const command = send('a');
  await first.closed;
  // two replicas that lose the network and the lead in turn
  for (let term = 0; term < 6; term++) {
    const next = await start({ processId: `replica-${term % 2}`, onCommand: dieWith(1) });
    await next.closed;
  }
  await start({ processId: 'replica-0' });
  await accepted(command);
  t.is(command.state, 'accepted');
});

test('the count survives a restart of the control plane', async (t) => {
  const file = await temporaryFile(t);
  const before = await plane(t, { store: createSqliteStore(file) });
  const first = await before.start({ onCommand: dieWith(1) });
  const { stored } = before.send('guilty');
  await stored;
  await first.closed;
  const second = await before.start({ onCommand: dieWith(1) });
  await second.closed;
  const third = await before.start({ instanceId: 'third', onPing: () => undefined });
  await before.own.close();
  await third.closed;
  const after = await plane(t, { store: createSqliteStore(file) });
  const again = await after.start({ instanceId: 'third', connection: 2, onCommand: dieWith(1) });
  await again.closed;
  t.deepEqual(again.received, ['guilty']);
  const last = await after.start({ instanceId: 'last' });
  const command = after.own.command('guilty');
  t.is(command && (await codeOf(command)), 'continued_too_often');
  await after.own.close();
  const end = await plane(t, { store: createSqliteStore(file) });
  const ended = end.own.command('guilty');
  t.is(ended && (await codeOf(ended)), 'continued_too_often');
  t.deepEqual(last.received, []);
});

test('a restart of the control plane does not count', async (t) => {
  const file = await temporaryFile(t);
  for (let count = 0; count < 5; count++) {
    const { own, send, start } = await plane(t, { store: createSqliteStore(file) });
    const process = await start({ instanceId: `process-${count}`, onCommand: () => void own.close() });
    if (count === 0) send('a');
    await process.closed;
  }
  const { own, start } = await plane(t, { store: createSqliteStore(file) });
  await start();
  const command = own.command('a');
  if (command) await accepted(command);
  t.is(command?.state, 'accepted');
});

test('other agents cannot make the process of an agent one that has ended', async (t) => {
  const authenticate = tokensOf({ 'edge-1': 'one', 'edge-2': 'two' });
  const { send, start } = await plane(t, { authenticate });
  const first = await start({ token: 'one', onCommand: dieWith(1) });
  const command = send('a');
  await first.closed;
  const accepting: string[] = [];
  const second = await start({ token: 'one', instanceId: 'second', onCommand: (key) => void accepting.push(key) });
  for (let count = 0; count < 5; count++) {
    const claimed = await start({ token: 'two', instanceId: 'second', connection: 100 + count });
    await claimed.closed; // the credential is that of another agent
    const own = await start({ agentId: 'edge-2', token: 'two', instanceId: 'second', connection: count + 1 });
    own.crash();
    await own.closed;
    const forged = await start({ agentId: 'edge-2', token: 'two', instanceId: `other-${count}`, processId: 'second' });
    forged.crash();
    await forged.closed;
  }
  while (accepting.length === 0) await setImmediate();
  second.accept('a');
  await accepted(command);
  t.deepEqual(second.received, ['a']);
});

test('a flood of processes that are gone at once ends no command', async (t) => {
  const { send, start } = await plane(t, { limits: { suspectAgeMs: 1000 } });
  const first = await start({ onCommand: dieWith(3) });
  const commands = ['a', 'b', 'c'].map((key) => send(key));
  await first.closed;
  for (let count = 0; count < 100; count++) {
    const next = await start();
    next.crash();
    await next.closed;
    t.deepEqual(next.received, []);
  }
  t.deepEqual(
    commands.map(({ state }) => state),
    ['sent', 'sent', 'sent'],
  );
});

test('many suspects are sent one at a time, in their order', async (t) => {
  const { send, start } = await plane(t);
  const keys = Array.from({ length: 200 }, (_, index) => `k${index}`);
  const first = await start({ onCommand: dieWith(keys.length) });
  const commands = keys.map((key) => send(key));
  await first.closed;
  let open = 0;
  let most = 0;
  const second = await start({
    onCommand(key, process) {
      most = Math.max(most, ++open);
      queueMicrotask(() => {
        open--;
        process.accept(key);
      });
    },
  });
  await Promise.all(commands.map(accepted));
  t.deepEqual(second.received, keys);
  t.is(most, 1);
});

test('a command that is stored with a huge number of lost processes ends', async (t) => {
  const store = createMemoryStore();
  const lostProcesses = Array.from({ length: 10_000 }, (_, index) => `process ${index}`);
  const record = {
    ...{ key: 'a', agentId: 'edge-1', type: 'install_release', fingerprint: 'f', state: 'sent' as const },
    ...{ instanceId: 'before', payload: '{}', isDurable: false, isConnected: false, lostProcesses },
    ...{ lastEvent: 0, lastStatus: 0, lastEvidence: 0, bytes: 0 },
  };
  await store.write({ commands: [record], events: [], trims: [], forgotten: [], agents: [], forgottenAgents: [] });
  const { own, start } = await plane(t, { store });
  const process = await start();
  const command = own.command('a');
  t.is(command && (await codeOf(command)), 'continued_too_often');
  t.deepEqual(process.received, []);
});

/** A line to a control plane that can be cut for good. */
async function line(t: ExecutionContext, target: number) {
  const sockets = new Set<Socket>();
  const cut = Promise.withResolvers<undefined>();
  const server = createServer((agent) => {
    const plane = connect(target, '127.0.0.1');
    for (const socket of [agent, plane]) sockets.add(socket.on('error', () => undefined));
    agent.pipe(plane).pipe(agent);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const end = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
    cut.resolve(undefined);
  };
  t.teardown(end);
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  return { url: `ws://127.0.0.1:${port}`, cut: end, whenCut: cut.promise };
}

test('agents of this version that a command ends before it is journaled get it three times', async (t) => {
  const { own, agentUrl } = await plane(t);
  const got: string[][] = [];
  /** Starts an agent that is gone when it gets the command `guilty`. */
  const start = async () => {
    const { url, cut, whenCut } = await line(t, Number(new URL(agentUrl).port));
    const journal = createMemoryJournal();
    const keys: string[] = [];
    got.push(keys);
    const accept: typeof journal.accept = async (command) => {
      keys.push(command.key);
      if (command.key !== 'guilty') return await journal.accept(command);
      cut();
      return await new Promise(() => undefined);
    };
    const options = { controlPlaneUrl: url, instanceId: `process-${got.length}` };
    await testAgent(t, { ...options, journal: { ...journal, durable: true, accept } });
    return { whenCut };
  };
  const first = await start();
  await own.waitForAgent('edge-1');
  const commands = ['guilty', 'a', 'b'].map((key) => {
    return own.send('edge-1', { key, type: 'install_release', payload: { releaseName: key, chartName: 'c' } });
  });
  await first.whenCut;
  for (let count = 2; count <= 3; count++) await (await start()).whenCut;
  await start();
  t.is(await codeOf(commands[0] as SentCommand), 'continued_too_often');
  await Promise.all(commands.slice(1).map(accepted));
  t.deepEqual(got.slice(1), [['guilty'], ['guilty'], ['a', 'b']]);
});

/** Numbers from 0 up to 1 from a seed. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

test('whatever happens to connections and processes, only the command that ends processes ends', async (t) => {
  for (let seed = 1; seed <= 12; seed++) {
    const random = numbers(seed);
    const { own, send, start } = await plane(t);
    const keys = Array.from({ length: 2 + Math.floor(random() * 5) }, (_, index) => `k${index}`);
    const guilty = keys[Math.floor(random() * keys.length)] ?? '';
    let instance = 0;
    let connection = 0;
    const state = { isCut: false };
    const first = await start({ instanceId: 'i0', onCommand: dieWith(1 + Math.floor(random() * keys.length)) });
    const commands = keys.map((key) => send(key));
    await first.closed;
    const innocent = commands.filter(({ key }) => key !== guilty);
    for (let round = 0; round < 60 && commands.some(({ state }) => state === 'sent'); round++) {
      const chance = random();
      const isSame = state.isCut;
      state.isCut = false;
      if (!isSame) instance++;
      connection = isSame ? connection + 1 : 1;
      const process = await start({
        ...{ instanceId: `i${instance}`, connection },
        onCommand(key, self) {
          if (key === guilty) self.crash();
          else if (chance < 0.5 && random() < 0.5) {
            state.isCut = true; // the process comes back
            self.crash();
          } else self.accept(key);
        },
        ...(chance > 0.8 && { onPing: (self) => self.crash() }), // another reason
      });
      if (chance > 0.6 && chance < 0.7) process.stop();
      const answered = Promise.all(innocent.map(accepted)).then(
        () => commands.find(({ key }) => key === guilty)?.result,
      );
      await Promise.race([process.closed, answered]);
      process.crash();
      await process.closed;
    }
    for (const command of innocent) t.is(command.state, 'accepted', `seed ${seed}: ${command.key}`);
    await own.close();
  }
});
