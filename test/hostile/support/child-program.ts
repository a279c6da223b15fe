import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { program } from '../../support/program.ts';
import { quickStart } from '../../support/quick-start.ts';

/** Variables that the image sets. */
const imageEnvironment = environmentIn(readFileSync(new URL('../../../Dockerfile', import.meta.url), 'utf8'));

function environmentIn(dockerfile: string): Record<string, string> {
  const lines = dockerfile.split('\n').filter((line) => line.startsWith('ENV '));
  const fields = lines.flatMap((line) => line.split(' ').slice(1));
  return Object.fromEntries(fields.map((field) => [field.replace(/=.*/, ''), field.replace(/.*?=/, '')]));
}

/** A command of helm-agent that runs as a process of its own. */
export interface ChildProgram {
  pid: number;
  /** Lines of its log, and of everything else that it writes. */
  lines: string[];
  /** Resolves to the fields of the first line of the log with this message. */
  logged(message: string): Promise<Record<string, unknown>>;
  /** Resolves when the process has ended. */
  ended: Promise<void>;
  close(): Promise<void>;
}

/** Starts `helm-agent ARGS` with a log of all levels. */
export function startProgram(args: readonly string[]): ChildProgram {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...imageEnvironment, ...quickStart(), HELM_AGENT_LOG_LEVEL: 'trace' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`cannot start ${program}`);
  const lines: string[] = [];
  let wake = Promise.withResolvers<undefined>();
  const receive = (line: string) => {
    lines.push(line);
    wake.resolve(undefined);
    wake = Promise.withResolvers();
  };
  createInterface(child.stdout).on('line', receive);
  createInterface(child.stderr).on('line', receive);
  let hasEnded = false;
  const ended = once(child, 'exit').then(([code, signal]) => {
    hasEnded = true;
    receive(`the process ended: ${String(code ?? signal)}`);
  });

  return {
    pid,
    lines,
    ended,
    async logged(message) {
      for (;;) {
        const line = lines.find((text) => text.startsWith('{') && text.includes(JSON.stringify(message)));
        // the log consists of objects
        if (line !== undefined) return JSON.parse(line) as Record<string, unknown>;
        if (hasEnded) throw new Error(`the program ended without ${message}:\n${lines.join('\n')}`);
        await wake.promise;
      }
    },
    async close() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
