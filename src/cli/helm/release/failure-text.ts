import { messageOf } from '../../../errors/index.ts';

/** Calls a function, and adds a prefix to the message of its error. */
export async function withPrefix<Result>(prefix: string, perform: () => Promise<Result>): Promise<Result> {
  try {
    return await perform();
  } catch (error) {
    const reason = messageOf(error);
    throw new Error(`${prefix}: ${reason}`, { cause: error });
  }
}
