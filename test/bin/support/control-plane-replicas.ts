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
  kill(): Promise<void>;
}

/** Starts `count` replicas that share a database. `folder` is for the file with its URL. */
export async function startReplicas(count: number, url: string, folder: string): Promise<Replica[]> {
  const file = join(folder, 'database.url');
  await writeFile(file, url, { mode: 0o600 });
  return Promise.all(Array.from({ length: count }, () => startReplica(file)));
}

async function startReplica(file: string): Promise<Replica> {
  const [port, healthPort] = [await freePort(), await freePort()];
  const ports = ['--port', String(port), '--health-port', String(healthPort)];
  let isKilled = false;
  const start = (): ChildProgram => {
    const started = startProgram(['control-plane', ...ports, '--database-url-file', file]);
    void started.ended.then(() => {
      if (!isKilled) program = start();
    });
    return started;
  };
  let program = start();
  return {
    port,
    async ready() {
      const response = await fetch(`http://127.0.0.1:${healthPort}/readyz`).catch(() => undefined);
      await response?.text();
      return response?.status;
    },
    async kill() {
      isKilled = true;
      await program.close();
    },
  };
}

/** A TCP balancer: each connection goes to the first port that accepts it. */
export async function startBalancer(ports: readonly number[]): Promise<{ port: number; close(): void }> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  };
  const server = createServer((inbound) => {
    keep(inbound);
    inbound.pause();
    void firstOf(ports).then((outbound) => {
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
