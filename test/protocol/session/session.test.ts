import { mock } from 'node:test';
import test, { type ExecutionContext } from 'ava';
import type { Resume } from '../../../src/protocol/messages.ts';
import { decodePacket, encodePacket, type Packet } from '../../../src/protocol/packet.ts';
import { Outbox } from '../../../src/protocol/session/outbox.ts';
import { Session, type SessionSocket } from '../../../src/protocol/session/session.ts';
import fc from '../../support/fast-check.ts';

/** One end, and what it has received. */
class End {
  readonly session: Session<string>;
  readonly received: string[] = [];
  /** Numbers of packets that were received and are not stored yet. */
  readonly unstored: (number | undefined)[] = [];
  #sent = 0;

  constructor(epoch: string) {
    this.session = new Session({
      epoch,
      outbox: new Outbox({ lengthOf: (text) => text.length }),
      encode: (text, seq) => encodePacket({ type: 'text', payload: text, seq }),
    });
  }

  push(): void {
    this.session.push(String(++this.#sent));
  }

  receive(packet: Packet): void {
    if (!this.session.take(packet)) return;
    this.received.push(packet.payload ?? '');
    this.unstored.push(packet.seq);
  }

  store(): void {
    for (const seq of this.unstored.splice(0)) this.session.stored(seq);
  }

  get expected(): string[] {
    return Array.from({ length: this.#sent }, (_, index) => String(index + 1));
  }
}

/** A socket whose frames wait in a list. */
function socketTo(frames: string[]): SessionSocket {
  return {
    readyState: 1,
    OPEN: 1,
    send: (text, done) => {
      frames.push(text);
      done();
    },
    ping: () => undefined,
  };
}

/** An agent and a control plane with a network between them. */
class Network {
  readonly agent = new End('agent');
  readonly plane = new End('plane');
  #toPlane: string[] = [];
  #toAgent: string[] = [];

  connect(): void {
    this.#toPlane = [JSON.stringify({ hello: this.agent.session.resume })];
    this.#toAgent = [];
    this.agent.session.attach(socketTo(this.#toPlane), { hold: true });
  }

  /** Loses all frames that did not arrive. */
  cut(): void {
    this.connect();
  }

  deliver(to: 'plane' | 'agent'): void {
    const frame = (to === 'plane' ? this.#toPlane : this.#toAgent).shift();
    if (frame === undefined) return;
    const { hello, welcome } = JSON.parse(frame) as { hello?: Resume; welcome?: Resume };
    if (hello) {
      this.plane.session.greet(hello);
      this.#toAgent.push(JSON.stringify({ welcome: this.plane.session.resume }));
      this.plane.session.attach(socketTo(this.#toAgent));
    } else if (welcome) {
      this.agent.session.greet(welcome);
    } else {
      this[to].receive(decodePacket(frame));
    }
  }

  settle(): void {
    this.connect();
    for (let round = 0; round < 4; round++) {
      while (this.#toPlane.length + this.#toAgent.length > 0) {
        this.deliver('plane');
        this.deliver('agent');
      }
      this.plane.store();
      this.agent.store();
      mock.timers.tick(60);
    }
  }
}

function withTimers(run: () => void): void {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    run();
  } finally {
    mock.timers.reset();
  }
}

test.serial('packets arrive once and in order, whatever is cut', (t) => {
  const action = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('agent pushes', 'plane pushes') },
    { weight: 8, arbitrary: fc.constantFrom('to plane', 'to agent') },
    { weight: 2, arbitrary: fc.constantFrom('agent stores', 'plane stores', 'time') },
    { weight: 1, arbitrary: fc.constant('cut') },
  );
  const actions: Record<string, (network: Network) => void> = {
    'agent pushes': ({ agent }) => agent.push(),
    'plane pushes': ({ plane }) => plane.push(),
    'to plane': (network) => network.deliver('plane'),
    'to agent': (network) => network.deliver('agent'),
    'agent stores': ({ agent }) => agent.store(),
    'plane stores': ({ plane }) => plane.store(),
    time: () => mock.timers.tick(60),
    cut: (network) => network.cut(),
  };
  const property = fc.property(fc.array(action, { maxLength: 150 }), (names) => {
    withTimers(() => {
      const network = new Network();
      network.connect();
      for (const name of names) actions[name]?.(network);
      network.settle();
      for (const end of [network.agent, network.plane]) {
        const other = end === network.agent ? network.plane : network.agent;
        t.deepEqual(end.received, other.expected);
        t.is(end.session.resume.acknowledged, end.expected.length);
      }
    });
  });
  t.notThrows(() => fc.assert(property, { numRuns: 300 }));
});

function connected(t: ExecutionContext) {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.teardown(() => mock.timers.reset());
  const end = new End('mine');
  const frames: string[] = [];
  const marks: string[] = [];
  const attach = () => {
    end.session.attach({ ...socketTo(frames), ping: (mark) => marks.push(mark) }, { hold: true });
  };
  attach();
  return { end, frames, marks, attach, sent: () => frames.splice(0).map((frame) => decodePacket(frame)) };
}

test.serial('the pong of a peer that does not take part confirms what was sent before its ping', (t) => {
  const { end, marks, attach, sent } = connected(t);
  end.push();
  end.push();
  mock.timers.tick(100);
  t.deepEqual(marks, ['2']);
  end.push();
  end.session.pong('2');
  sent();
  attach();
  t.deepEqual(
    sent().map(({ seq }) => seq),
    [3],
  );
});

test.serial('a pong confirms nothing if the peer takes part', (t) => {
  const { end, attach, sent } = connected(t);
  end.session.greet({ epoch: 'theirs', acknowledged: 0 });
  end.push();
  end.session.pong('1');
  end.session.take({ type: 'ack', payload: '{"seq":0}' });
  sent();
  attach();
  end.session.greet({ epoch: 'theirs', acknowledged: 0, received: { epoch: 'mine', seq: 0 } });
  t.deepEqual(
    sent().map(({ seq }) => seq),
    [1],
  );
});

test.serial('waits for the greeting of a peer that took part before, for 5 seconds', (t) => {
  const { end, attach, sent } = connected(t);
  end.session.greet({ epoch: 'theirs', acknowledged: 0 });
  end.push();
  sent();
  attach();
  mock.timers.tick(4999);
  t.deepEqual(sent(), []);
  mock.timers.tick(1);
  t.is(sent().length, 1);
});

test.serial('does not wait for a greeting when another packet comes first', (t) => {
  const { end, attach, sent } = connected(t);
  end.session.greet({ epoch: 'theirs', acknowledged: 0 });
  end.push();
  sent();
  attach();
  t.true(end.session.take({ type: 'list_releases' }));
  t.is(sent().length, 1);
});

test.serial('acknowledges many packets at once, and repeated ones again', (t) => {
  const { end, sent } = connected(t);
  end.session.greet({ epoch: 'theirs', acknowledged: 0 });
  for (const seq of [1, 2, 5]) {
    t.true(end.session.take({ type: 'text', seq }));
    end.session.stored(seq);
  }
  mock.timers.tick(50);
  t.deepEqual(sent(), [{ type: 'ack', payload: '{"seq":5}' }]);
  t.false(end.session.take({ type: 'text', seq: 4 }));
  mock.timers.tick(50);
  t.deepEqual(sent(), [{ type: 'ack', payload: '{"seq":5}' }]);
});

test.serial('the numbers of another epoch start again', (t) => {
  const { end } = connected(t);
  end.session.greet({ epoch: 'theirs', acknowledged: 0 });
  t.true(end.session.take({ type: 'text', seq: 3 }));
  end.session.greet({ epoch: 'restarted', acknowledged: 0 });
  t.true(end.session.take({ type: 'text', seq: 1 }));
});

test.serial('a series continues if the peer still has what is missing here', (t) => {
  const { end } = connected(t);
  t.false(end.session.continues({ epoch: 'theirs', acknowledged: 0 }));
  end.session.greet({ epoch: 'theirs', acknowledged: 0 });
  end.session.take({ type: 'text', seq: 7 });
  end.session.stored(7);
  t.true(end.session.continues({ epoch: 'theirs', acknowledged: 7 }));
  t.false(end.session.continues({ epoch: 'theirs', acknowledged: 8 }));
  t.false(end.session.continues({ epoch: 'other', acknowledged: 7 }));
});
