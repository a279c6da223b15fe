import { setFlagsFromString } from 'node:v8';

/** The version of V8 whose flag is set. Another one may not have it, and would say so on stderr. */
const knownVersion = '13.';

/** Commands through which the bytes of programs, files and logs pass. */
const passBytes = new Set(['run', 'control-plane', 'ctl exec', 'ctl cp', 'ctl logs', 'ctl port-forward']);

/**
 * Whether a command passes bytes on. Others start faster without a change of flags, after which V8
 * uses no code that was compiled before.
 */
export function passesBytes([command = '', verb = '']: readonly string[]): boolean {
  return passBytes.has(command === 'ctl' ? `ctl ${verb}` : command);
}

/**
 * Lets V8 free the memory of buffers earlier. It frees that of new ones together, when they have
 * four times this number of MiB, without looking at older objects. By default that is 128 MiB, and
 * before, at 64 MiB, V8 marks all objects of the process to find memory that it can free. A process
 * that passes bytes on would spend more time on that than on the bytes.
 */
export function freeBuffersEarly(version = process.versions.v8): boolean {
  if (!version.startsWith(knownVersion)) return false;
  setFlagsFromString('--scavenger-max-new-space-capacity-mb=4');
  return true;
}
