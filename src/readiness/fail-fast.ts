import type { KubeObject } from '../objects/object.ts';
import {
  failFastLevels,
  type ProblemClass,
  problemClassNames,
  type ProblemCode,
  problems,
} from '../protocol/problem-codes.ts';
import { failFastAnnotation } from './steering-annotations.ts';

/** The problems that end a wait before its deadline. */
export interface FailFast {
  /**
   * `likely`: those that are fatal, and those that are likely to last, after a grace. `fatal`: only
   * the first. `never`: none, but resources whose own status says that they have failed.
   */
  level: FailFastLevel;
  /** Classes of problems that differ from the usual ones. */
  classes: Partial<Record<ProblemCode, ProblemClass>>;
  /** Time after which a likely problem ends the wait if it occurs once more, in milliseconds. */
  grace: number;
  /** Time after which three equal failures of a container end the wait, in milliseconds. */
  crashGrace: number;
}

export type FailFastLevel = (typeof failFastLevels)[number];

/**
 * Returns the class of a resource's problem, by its annotation and the settings of the command. The
 * annotation has a setting of its own: `never`, or `crash_loop=transient,fatal`.
 */
export function classOf(object: KubeObject, code: ProblemCode, failFast: FailFast): ProblemClass {
  const own = readFailFast(object.metadata.annotations?.[failFastAnnotation] ?? '');
  const level = own.level ?? failFast.level;
  const wanted = own.classes[code] ?? failFast.classes[code] ?? usualClass(object, code);
  if (level === 'never') return 'transient';
  return level === 'fatal' && wanted === 'likely' ? 'transient' : wanted;
}

/** Crashes of a Job count towards its backoffLimit, and only that ends it. */
function usualClass({ kind }: KubeObject, code: ProblemCode): ProblemClass {
  return kind === 'Job' && code === 'crash_loop' ? 'transient' : problems[code].class;
}

/** Reads the words of an annotation. Ignores those of newer versions. */
function readFailFast(text: string): Pick<FailFast, 'classes'> & { level?: FailFastLevel } {
  const classes: FailFast['classes'] = {};
  let level: FailFastLevel | undefined;
  for (const word of text.split(',').map((part) => part.trim())) {
    const [code = '', wanted = ''] = word.split('=');
    if (isLevel(word)) level = word;
    else if (isProblemCode(code) && isProblemClass(wanted)) classes[code] = wanted;
  }
  return { classes, ...(level && { level }) };
}

function isLevel(word: string): word is FailFastLevel {
  return failFastLevels.some((level) => level === word);
}

function isProblemClass(word: string): word is ProblemClass {
  return problemClassNames.some((name) => name === word);
}

function isProblemCode(word: string): word is ProblemCode {
  return Object.hasOwn(problems, word);
}
