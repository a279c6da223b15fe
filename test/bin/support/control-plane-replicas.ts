import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { freePort } from '../../control-plane/support/postgres.ts';
import { type ChildProgram, startProgram } from '../../hostile/support/child-program.ts';

/**
 * A replica of a control plane, as a process of its own. One that ends by itself, because another
 * one leads, is started again, as Kubernetes does.
 */
export interface Replica {
  readonly port: number;
  /** Returns the status of `/readyz`; undefined if the process does not listen. */
  ready(): Promise<number | undefined>;
  /** Whether it is ready, and is the one that leads. */
  leads(): Promise<boolean>;
  kill(): Promise<void>;
}

export interface ReplicasOptions {
  /** Whether those that do not lead relay their connections. Default: false. */
  doRelay?: boolean;
}

/** Starts `count` replicas that share a database. `folder` is for the file with its URL. */
export async function startReplicas(
  count: number,
  url: string,
  folder: string,
  { doRelay = false }: ReplicasOptions = {},
): Promise<Replica[]> {
  const file = join(folder, 'database.url');
  await writeFile(file, url, { mode: 0o600 });
  return Promise.all(Array.from({ length: count }, () => startReplica(file, doRelay)));
}

async function startReplica(file: string, doRelay: boolean): Promise<Replica> {
  const [port, healthPort] = [await freePort(), await freePort()];
  const ports = ['--port', String(port), '--health-port', String(healthPort)];
  if (doRelay) ports.push('--replica-address', `127.0.0.1:${await freePort()}`);
  let isKilled = false;
  const start = (): ChildProgram => {
    const started = startProgram(['control-plane', ...ports, '--database-url-file', file]);
    void started.ended.then(() => {
      if (!isKilled) program = start();
    });
    return started;
  };
  let program = start();
  const statusOf = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${healthPort}${path}`).catch(() => undefined);
    await response?.text();
    return response?.status;
  };
  return {
    port,
    ready: () => statusOf('/readyz'),
    leads: async () => (await statusOf('/readyz/store')) === 200, // the others have no store
    async kill() {
      isKilled = true;
      await program.close();
    },
  };
}

/** A TCP balancer: connections go to the ports in turn, to the next one that accepts them. */
export async function startBalancer(ports: readonly number[]): Promise<{ port: number; close(): void }> {
  const sockets = new Set<Socket>();
  let turn = 0;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  };
  const server = createServer((inbound) => {
    keep(inbound);
    inbound.pause();
    const next = turn++ % ports.length;
    void firstOf([...ports.slice(next), ...ports.slice(0, next)]).then((outbound) => {
      if (!outbound) {
        inbound.destroy();
        return;
      }
      keep(outbound);
      inbound.once('close', () => outbound.destroy());
      outbound.once('close', () => inbound.destroy());
      inbound.pipe(outbound).pipe(inbound);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port, // a TCP server has no other address
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

async function firstOf(ports: readonly number[]): Promise<Socket | undefined> {
  for (const port of ports) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    if (isOpen) return socket;
  }
  return undefined;
}
