import type { ObjectRef } from '../../objects/object.ts';
import { releaseKey } from '../../protocol/commands/definition.ts';
import { isUnlabelled, type Owner, ownerOf } from '../apply/ownership.ts';
import { epochMilliseconds } from '../clock.ts';
import type { OperationContext } from '../context.ts';
import { findObject, type FoundObject, type ObjectName } from '../objects/find-object.ts';
import { defaultTimeout } from '../state/deadline.ts';
import { timeLimit } from '../time-limit.ts';

/** The longest name of an object. */
const maxName = 253;

/**
 * Runs a change of an object when it is its turn on the release that the object belongs to, so that
 * it does not overlap with an upgrade. The wait counts towards the time limit in milliseconds.
 * Runs it at once if the object belongs to no release, or cannot be read.
 */
export async function inTurnOfRelease<Result>(
  context: OperationContext,
  { subject, timeout = defaultTimeout }: { subject: ObjectName | undefined; timeout?: number | undefined },
  run: (context: OperationContext) => Promise<Result>,
): Promise<Result> {
  const { takeTurn, whileWaiting, host, queued = 0, signal, abandon, startTimer } = context;
  const found = takeTurn && subject && (await existing(context, subject));
  const owner = found && releaseOf(found);
  if (takeTurn === undefined || found === undefined || owner === undefined) return await run(context);
  const began = epochMilliseconds(host);
  const limit = timeLimit(timeout, [signal, abandon], startTimer, timeout - queued);
  const reason = `change of ${textOf(found.ref)}`;
  const turn = { release: keyOf(owner), reason, isOneOfMany: false, signal: limit.signal };
  const inTurn = () =>
    takeTurn(turn, async (limits) => {
      limit.close();
      return await run({ ...context, ...limits, queued: queued + epochMilliseconds(host) - began });
    });
  try {
    return await (whileWaiting?.(inTurn) ?? inTurn());
  } finally {
    limit.close();
  }
}

async function existing(context: OperationContext, subject: ObjectName): Promise<FoundObject | undefined> {
  try {
    return await findObject(context, subject);
  } catch {
    context.signal.throwIfAborted();
    return undefined; // the operation says why
  }
}

/** Returns the release that an object names, if it has Helm's label. Others can write both. */
function releaseOf({ object }: FoundObject): Owner | undefined {
  const owner = isUnlabelled(object) ? undefined : ownerOf(object);
  if (owner === undefined || owner.name.length > maxName || owner.namespace.length > maxName) return undefined;
  return owner;
}

function keyOf({ name, namespace }: Owner): string {
  return releaseKey({ namespace, releaseName: name }) ?? '';
}

function textOf({ kind, name }: ObjectRef): string {
  return `${kind} ${name}`;
}
