import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import type { RegistryCredentials } from './registry-credentials.ts';

const answerSchema = z.object({ Username: z.string(), Secret: z.string() });

/** Returns the functions of the program `docker-credential-NAME`, which keeps credentials. */
export function credentialHelper(name: string) {
  const program = `docker-credential-${name}`;
  return {
    /** Returns undefined if the program has no credentials for the address. */
    async get(address: string): Promise<RegistryCredentials | undefined> {
      const { code, output } = await runProgram(program, 'get', address);
      if (code !== 0) return undefined;
      const { Username, Secret } = answerSchema.parse(JSON.parse(output));
      return { username: Username === '<token>' ? '' : Username, password: Secret };
    },
    async store(address: string, { username, password }: RegistryCredentials): Promise<void> {
      const entry = { ServerURL: address, Username: username || '<token>', Secret: password };
      await requireSuccess(program, 'store', JSON.stringify(entry));
    },
    async erase(address: string): Promise<void> {
      await requireSuccess(program, 'erase', address);
    },
  };
}

async function requireSuccess(program: string, action: string, input: string): Promise<void> {
  const { code } = await runProgram(program, action, input);
  if (code !== 0) throw new Error(`${program} ${action} failed with exit code ${code}`);
}

async function runProgram(program: string, action: string, input: string): Promise<{ code: number; output: string }> {
  const child = spawn(program, [action], { stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.on('error', () => undefined); // the program may end before it has read everything
  child.stdin.end(input);
  const [output] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return { code: child.exitCode ?? 1, output };
}
