type Severity = 'INFO' | 'WARNING' | 'ERROR';

/** Something about a chart that is worth knowing. */
export interface Finding {
  severity: Severity;
  /** Which file or folder of the chart it is about. */
  path: string;
  text: string;
}

/** Takes what a rule found; `undefined` is nothing. Answers whether all is well. */
export type Report = (severity: Severity, path: string, problem: string | undefined) => boolean;

/** A report, and the list that it fills. */
export function collectFindings(): { findings: Finding[]; report: Report } {
  const findings: Finding[] = [];
  return {
    findings,
    report(severity, path, text) {
      if (text !== undefined) findings.push({ severity, path, text });
      return text === undefined;
    },
  };
}

/** A finding as Helm prints it. */
export function findingLine({ severity, path, text }: Finding): string {
  return `[${severity}] ${path}: ${text}\n`;
}
