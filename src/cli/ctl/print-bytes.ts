import type { Terminal } from '../dependencies.ts';

/**
 * Prints bytes as they arrive. Returns the exit code: 1 if the output was closed before their end,
 * about which the output itself says what there is to say.
 *
 * @param open returns the bytes until the signal aborts
 */
export async function printBytes(
  output: Pick<Terminal, 'closed' | 'writeBytes'>,
  open: (signal: AbortSignal) => AsyncIterable<Uint8Array>,
): Promise<number> {
  try {
    for await (const bytes of open(output.closed)) await output.writeBytes(bytes);
    return 0;
  } catch (error) {
    if (output.closed.aborted) return 1;
    throw error;
  }
}
