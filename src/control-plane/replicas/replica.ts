import type { Server } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { HealthCheck } from '../../net/health.ts';
import type { Logger } from '../logger.ts';
import type { ReplicaPlaces } from '../store/command-store.ts';
import { Relay } from './relay.ts';
import { RelayListener } from './relay-listener.ts';

export interface ReplicaOptions {
  server: Server | HttpsServer;
  isEncrypted: boolean;
  places: ReplicaPlaces;
  maxConnections: number;
  randomBytes: (size: number) => Uint8Array;
  log: Logger;
}

/** A control plane that shares its store: it relays its connections to the one that leads. */
export class Replica {
  readonly #options: ReplicaOptions;
  #relay: Relay | undefined;
  #listener: RelayListener | undefined;

  constructor(options: ReplicaOptions) {
    this.#options = options;
  }

  /**
   * Listens on the port, and relays all connections until `lead`. Rejects with Node's error if it
   * cannot be bound.
   */
  async wait(port: number, host: string): Promise<void> {
    const { places } = this.#options;
    this.#relay = new Relay({ ...this.#options, leader: () => places.leader() });
    await this.#relay.listen(port, host);
  }

  /**
   * Lets the server listen on the port of `wait`, with the connections that wait for a leader, and
   * accepts what others relay. Rejects with Node's error if a port cannot be bound.
   */
  async lead(host: string): Promise<void> {
    const { server, isEncrypted, places, randomBytes } = this.#options;
    await this.#relay?.handOver(server);
    this.#relay = undefined;
    const { secret, port } = places.own;
    this.#listener = new RelayListener({ server, isEncrypted, secret, randomBytes });
    await this.#listener.listen(port, host);
  }

  /** Returns the checks of a replica that relays; undefined if it leads. */
  health(): HealthCheck[] | undefined {
    return this.#relay && [{ name: 'leader', isOk: this.#relay.isReady }];
  }

  close(): void {
    this.#relay?.close();
    this.#listener?.close();
  }
}
