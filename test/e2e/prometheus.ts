import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';

/** A Prometheus that scrapes every second. */
export interface Prometheus {
  /** Returns the value of an expression that has one. Undefined while there is none. */
  value(expression: string): Promise<number | undefined>;
}

/** Starts the program of Prometheus for targets such as `10.0.0.7:8081`, until the test ends. */
export async function startPrometheus(
  t: ExecutionContext,
  program: string,
  targets: readonly string[],
): Promise<Prometheus> {
  const folder = await mkdtemp(join(tmpdir(), 'prometheus-'));
  const config = join(folder, 'prometheus.json');
  const jobs = [{ job_name: 'helm-agent', static_configs: [{ targets }] }];
  await writeFile(config, JSON.stringify({ global: { scrape_interval: '1s' }, scrape_configs: jobs })); // JSON is YAML
  const address = `127.0.0.1:${await freePort()}`;
  const process = spawn(
    program,
    [`--config.file=${config}`, `--storage.tsdb.path=${join(folder, 'data')}`, `--web.listen-address=${address}`],
    { stdio: 'ignore' },
  );
  const ended = once(process, 'exit');
  t.teardown(async () => {
    process.kill();
    await ended;
    await rm(folder, { recursive: true });
  });
  return {
    async value(expression) {
      const url = `http://${address}/api/v1/query?query=${encodeURIComponent(expression)}`;
      const response = await fetch(url).catch(() => undefined); // it starts
      const answer = response?.ok === true ? ((await response.json()) as QueryAnswer) : undefined;
      const [, text] = answer?.data.result[0]?.value ?? [];
      return text === undefined ? undefined : Number(text);
    },
  };
}

/** The response of the API of Prometheus to an expression whose value is a vector. */
interface QueryAnswer {
  data: { result: { value: [time: number, text: string] }[] };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  server.close();
  return port;
}
