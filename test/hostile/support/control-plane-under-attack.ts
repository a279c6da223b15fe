import { startProgram } from './child-program.ts';
import type { Target } from './measure.ts';

/** The control plane as a process of its own. */
export interface ControlPlaneUnderAttack extends Target {
  port: number;
  close(): Promise<void>;
}

/**
 * Starts a control plane with the given arguments of `control-plane`. One of them has to be a file
 * for `--data`: the default is a file of the user.
 */
export async function startControlPlaneUnderAttack(args: readonly string[]): Promise<ControlPlaneUnderAttack> {
  const program = startProgram(['control-plane', '--port', '0', ...args]);
  const { port } = await program.logged('the control plane is listening');
  return {
    program,
    port: Number(port),
    ping: { url: `http://127.0.0.1:${Number(port)}/healthz` },
    close: () => program.close(),
  };
}
