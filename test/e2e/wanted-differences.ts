/** Where the agent differs from helm on purpose: the start of a difference, and the reason. */
export const wantedDifferences: readonly { starts: RegExp; because: string }[] = [
  { starts: /release\/chart\/(templates\/\d+\/)?(schema)?modtime: /, because: 'the agent keeps no times of files' },
  { starts: /release\/chart\/files: helm has null, the agent \[\]$/, because: 'Go reads null as an empty list' },
  {
    starts: /release\/hooks\/\d+\/(weight|(output_log|delete)_policies): helm has undefined, the agent (0|\[\])$/,
    because: 'Go reads a missing field as its zero value',
  },
  {
    starts: /release\/info\/deleted: helm has undefined, the agent ""$/,
    because: 'Helm 3 writes an empty time, which Go reads as its zero value',
  },
  {
    starts: /release\/config\/[\w/]+: helm has null, the agent undefined$/,
    because: 'an upgrade that reuses values writes nulls of the new values into the old revision in Helm',
  },
  {
    starts:
      /records\/\S+: helm has .*"status":"failed".*(cannot use server-side apply and force replace together|forceConflicts enabled when serverSideApply disabled).*, the agent undefined$/,
    because: 'the agent refuses options that exclude each other before it records a revision',
  },
  {
    starts: /: packets error: helm has .*, the agent "payload: /,
    because: 'the error of a packet names the field, and that of helm the flag',
  },
];

/** Parts of the output that only one of the two has on purpose, and the reason. */
export const wantedInOutput: readonly { pattern: RegExp; because: string }[] = [
  {
    pattern: /"chart":\{"metadata.*\},(?="(config|manifest)":)/,
    because: 'a packet has only the metadata of a chart, and the agent prints none of it here',
  },
];

/** Parts of errors that only one of the two has on purpose, and the reason. */
export const wantedInErrors: readonly { pattern: RegExp; because: string }[] = [
  { pattern: /^(INSTALLATION|UPGRADE) FAILED: /, because: 'the agent names the command in its progress' },
  { pattern: / \(\w+\)(?=\n(  at .*\n)?$)/, because: 'errors of the agent have a code' },
  { pattern: /  at .*\n$/, because: 'errors of the agent say where they are in a text' },
];
