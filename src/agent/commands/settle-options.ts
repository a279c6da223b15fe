/** Time for which containers without a readiness probe must run, in milliseconds. */
const unprobedTime = 5000;

/** Time for which a controller may act on a changed custom resource, in milliseconds. */
const customTime = 3000;

/**
 * Returns a payload with `settle` as an operation has it: containers without a readiness probe
 * settle by default, because one that crashes after its start counts as ready at first. Custom
 * resources that do not show whether their controller has acted do, too.
 */
export function withSettleOptions<Payload extends { settle?: number | false | undefined }>(payload: Payload) {
  const { settle, ...rest } = payload;
  return {
    ...rest,
    settle: settle === false ? undefined : settle,
    settleUnprobed: settle === undefined ? unprobedTime : undefined,
    settleCustom: settle === undefined ? customTime : undefined,
  };
}
