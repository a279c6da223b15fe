interface WantedDifference {
  starts: RegExp;
  because: string;
  /** The only scenarios with this difference. Default: all. */
  scenarios?: RegExp;
}

/** Where the agent differs from helm on purpose: the start of a difference, and the reason. */
export const wantedDifferences: readonly WantedDifference[] = [
  {
    starts: /release\/chart\/((templates|files)\/\d+\/)?(schema)?modtime: /,
    because: 'the agent keeps no times of files',
  },
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
    starts:
      /records\/\S+: helm has .*"status":"failed".*(cannot use server-side apply and force replace together|forceConflicts enabled when serverSideApply disabled).*, the agent undefined$/,
    because: 'the agent refuses options that exclude each other before it records a revision',
  },
  {
    starts:
      /objects\/\S+: helm has undefined, the agent .*"meta.helm.sh\/release-(name":"other"|namespace":"elsewhere")/,
    because: 'the agent does not delete objects that belong to another release',
  },
  {
    starts: /objects\/Job\/[^/\s]+: helm has (undefined, the agent )?\{.*"ttlSecondsAfterFinished":/,
    because: 'the cluster deletes such a Job some time after its end, which may be between the two looks',
  },
  {
    starts: /^upgrade site @one: |^uninstall site: .*\/(ConfigMap\/map|records)/,
    scenarios: /^an upgrade finds an object that was given to another release$/,
    because: 'the agent does not change objects that belong to another release unless the command takes ownership',
  },
  {
    starts:
      /records\/\S+\/(labels|release\/info)\/status: helm has "pending-rollback", the agent "failed"$|records\/\S+\/last_run\/(completed_at: helm has undefined|phase: helm has "Running")|records\/\S+\/description: helm has "Rollback to \d+", the agent "Rollback \\"site\\" failed: /,
    because: 'a rollback whose hook fails is failed, and not pending for good',
  },
  {
    starts:
      /^history .*: (ctl stdout: helm has .*pending-rollback.*, the agent .*failed|packets facts\/\d+\/(status: helm has "pending-rollback", the agent "failed"$|description: helm has "Rollback to \d+", the agent "Rollback \\"site\\" failed: ))/,
    because: 'the same in the output',
  },
  {
    starts: /hooks\/\d+\/delete_policies\/0: helm has "before-hook-creation", the agent undefined$/,
    scenarios: /^a hook that the API server refuses$/,
    because: 'the agent records nothing about a hook of an unknown kind, which does not start',
  },
  {
    starts: /helm has .*context deadline exceeded.*, the agent .*timed out after \d+s/,
    because: 'the agent says how long it has waited, and why a pod does not start',
  },
  {
    starts:
      /^upgrade site \S+ --install.*: ctl stdout: helm has "Release \\"site\\" does not exist. Installing it now.\\n", the agent ""$/,
    because: 'the agent says only in a result whether it has installed',
  },
  {
    starts: /^upgrade site @library: |^uninstall site: \S+ \/own\/(objects|records)/,
    scenarios: /^an upgrade to a library chart$/,
    because: 'the agent refuses a chart that would delete all objects of the release',
  },
  {
    starts:
      /^list -o json: (ctl stdout: helm has "\[\]\\n"|packets facts\/0: helm has undefined), the agent .*"status(\\)?":(\\)?"unknown/,
    because: 'the agent lists releases of an unknown status, too',
  },
  {
    starts:
      /: (ctl|packets) error: helm has .*(not set|resource name may not be empty|unable to decode).*, the agent .*app\/templates\/objects\.yaml: /,
    because: 'the agent names the template and the object',
  },
  {
    starts: /helm has .*: patch: Invalid value: .*, the agent .*: patch: Invalid value: /,
    because: 'a patch of the agent has the uid of the object',
  },
  {
    starts: /^(rollback|uninstall) site: /,
    scenarios: /^a definition among the templates, and its resource$/,
    because: 'the agent looks up all kinds before it records a rollback, which then stays pending in Helm',
  },
  {
    starts: /^install site @two: /,
    scenarios: /^a definition that was applied client-side, and changes$/,
    because: 'the agent does not conflict with its own fields of client-side apply',
  },
  {
    starts: /^upgrade site @uid: /,
    scenarios: /^an object with a uid$/,
    because: 'the writes of the agent have the uid of the object that it has read',
  },
  {
    starts: /^install site @one --create-namespace: /,
    scenarios: /^a namespace that others have labelled$/,
    because: 'the agent uses a namespace as it is if others own its label, because it creates namespaces by default',
  },
  {
    starts: /: packets error: helm has .*, the agent "payload: /,
    because: 'the error of a packet names the field, and that of helm the flag',
  },
];

/** Whether the table has a difference that was found in a scenario. */
export function isWanted(difference: string, scenario: string): boolean {
  return wantedDifferences.some(({ starts, scenarios = /^/ }) => starts.test(difference) && scenarios.test(scenario));
}

/** Parts of the output that only one of the two has on purpose, and the reason. */
export const wantedInOutput: readonly { pattern: RegExp; because: string }[] = [
  {
    pattern: /^RESOURCES:\n[^]*?\n\n\n/m,
    because: 'the agent shows whether the objects are ready, and Helm their tables',
  },
  {
    pattern: /,"resources":(\{.*?\}(?=\},"(config|manifest|hooks|version|namespace)")|\[.*?\](?=\}?\n?$))/,
    because: 'the same as JSON: Helm has whole objects in `info`',
  },
  {
    pattern: /"chart":\{"metadata.*\},(?="(config|manifest|hooks|version)":)/,
    because: 'a packet has only the metadata of a chart, and the agent prints none of it here',
  },
];

/** Parts of errors that only one of the two has on purpose, and the reason. */
export const wantedInErrors: readonly { pattern: RegExp; because: string }[] = [
  { pattern: /^(INSTALLATION|UPGRADE) FAILED: /, because: 'the agent names the command in its progress' },
  { pattern: / \(\w+\)(?=\n(  at .*\n)?$)/, because: 'errors of the agent have a code' },
  { pattern: /  at .*\n$/, because: 'errors of the agent say where they are in a text' },
];

/** Texts that differ on purpose, and the reason. They are equal once the patterns are replaced. */
export const wantedTexts: readonly { pattern: RegExp; replacement: string; because: string }[] = [
  {
    pattern: /(?<=status: )InProgress(?=, message: Terminated: exit code \d+ )/g,
    replacement: 'Failed',
    because: 'the agent ends the wait when the pod of a Job has failed for good, maybe before the Job says so',
  },
  {
    pattern:
      /Job Failed\. failed: \d+\/\d+|Terminated: exit code \d+ \(\w+\) \(container \S+ of pod \S+?\)(; BackoffLimitExceeded: Job has reached the specified backoff limit)?/g,
    replacement: 'REASON',
    because: 'the agent says why a Job has failed',
  },
  {
    pattern:
      /resource mapping not found for name: \\*"[^"\\]*\\*" namespace: \\*"[^"\\]*\\*" from \\*"\\*": (?=no matches)|(?<![\w./-])[\w./-]+: (?=no matches for kind)/g,
    replacement: '',
    because: 'the agent names the template, and Helm an empty file name',
  },
  {
    pattern: /(\n|\\+n)ensure CRDs are installed first/g,
    replacement: '',
    because: 'Helm adds it also if no CRD can help',
  },
];
