import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * The faults of a connection, after some bytes of the agent: `cut` resets it; `half-open` passes
 * nothing more, and closes nothing; `slow` passes small pieces with pauses, and cuts it later;
 * `late` resets only the agent's side, and delivers the rest to the control plane when the agent
 * has another connection; `duplicated` resets it, and then opens a second one to the control plane
 * with the same bytes.
 */
export const faults = ['cut', 'half-open', 'slow', 'late', 'duplicated'] as const;
export type Fault = (typeof faults)[number];

/** Half-open connections take the most time, so there are fewer of them. */
const deck: readonly Fault[] = [...faults, 'cut', 'slow', 'late', 'duplicated'];

/** Time after which the rest of a connection is delivered or repeated, in milliseconds. */
const lateMs = 60;

/** A TCP proxy between agents and a control plane, with a fault on each connection. */
export class FaultProxy {
  /** Number of connections with each fault. */
  readonly injected = new Map<Fault, number>();
  readonly #server: Server;
  readonly #target: number;
  readonly #random: () => number;
  readonly #sockets = new Set<Socket>();
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(target: number, random: () => number) {
    this.#target = target;
    this.#random = random;
    this.#server = createServer((agent) => this.#serve(agent));
  }

  /** `random` returns numbers from 0 up to 1. */
  static async start(target: number, random: () => number): Promise<FaultProxy> {
    const proxy = new FaultProxy(target, random);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port; // a TCP server that listens has one
  }

  stop(): void {
    this.#server.close();
    for (const timer of this.#timers) clearTimeout(timer);
    for (const socket of this.#sockets) socket.destroy();
  }

  #serve(agent: Socket): void {
    this.#own(agent);
    const plane = this.#own(connect(this.#target, '127.0.0.1'));
    const fault = deck[Math.floor(this.#random() * deck.length)] ?? 'cut';
    const limit = 1200 + this.#random() * 6000;
    this.injected.set(fault, (this.injected.get(fault) ?? 0) + 1);
    const sent: Buffer[] = [];
    const rest: Buffer[] = [];
    let bytes = 0;
    let isFaulty = false;

    agent.on('data', (data) => {
      bytes += data.length;
      sent.push(data);
      if (fault === 'slow') this.#trickle(data, agent, plane);
      // half of what a late connection has is already on its way when it is cut
      else if (fault === 'late' && bytes > limit / 2) rest.push(data);
      else if (!isFaulty) plane.write(data);
      if (isFaulty || bytes <= limit) return;
      isFaulty = true;
      if (fault === 'half-open') return;
      agent.destroy();
      if (fault === 'late') {
        this.#later(() => {
          for (const part of rest) plane.write(part);
          this.#later(() => plane.destroy());
        });
        return;
      }
      plane.destroy();
      if (fault === 'duplicated') this.#later(() => this.#repeat(sent));
    });
    plane.on('data', (data) => {
      if (fault === 'slow') this.#trickle(data, plane, agent);
      else if (!isFaulty) agent.write(data);
    });
    agent.on('close', () => {
      if (fault !== 'late') plane.destroy();
    });
    plane.on('close', () => {
      if (fault !== 'half-open') agent.destroy();
    });
  }

  #repeat(sent: Buffer[]): void {
    const plane = this.#own(connect(this.#target, '127.0.0.1'));
    plane.resume();
    for (const data of sent) plane.write(data);
    this.#later(() => plane.destroy());
  }

  /** Passes data in two pieces, and reads no more until they are written. */
  #trickle(data: Buffer, from: Socket, to: Socket): void {
    from.pause();
    const middle = Math.floor(this.#random() * data.length);
    to.write(data.subarray(0, middle));
    this.#later(() => {
      to.write(data.subarray(middle));
      from.resume();
    }, 5);
  }

  #own(socket: Socket): Socket {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.on('close', () => this.#sockets.delete(socket));
    return socket;
  }

  #later(run: () => void, milliseconds = lateMs): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      run();
    }, milliseconds);
    this.#timers.add(timer);
  }
}
