import type { ProgramDependencies } from '../cli/dependencies.ts';

/**
 * The exit codes of a process that has handled a signal, as in shells. A command says itself how it
 * ends after Ctrl-C, which is a person's way to end it.
 */
const exitCodes: Readonly<Partial<Record<NodeJS.Signals, number>>> = { SIGTERM: 143, SIGHUP: 129 };

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The signals that ask a command to stop what it follows. */
export interface Interrupts extends Pick<ProgramDependencies, 'onInterrupt'> {
  /** Returns the exit code of the process for that of its command. */
  exitCode(code: number): number;
}

/** Returns the signals of a process. While no one listens, they end the process. */
export function interruptsOf(process: Pick<NodeJS.Process, 'on' | 'off'>): Interrupts {
  let signalCode: number | undefined;
  return {
    onInterrupt(listener) {
      const interrupt = (signal: NodeJS.Signals) => {
        signalCode ??= exitCodes[signal];
        listener();
      };
      for (const signal of signals) process.on(signal, interrupt);
      return () => {
        for (const signal of signals) process.off(signal, interrupt);
      };
    },
    exitCode: (code) => signalCode ?? code,
  };
}
