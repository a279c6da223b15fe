import type { StepTools } from '../steps/step-runner.ts';
import { redactedError } from './redacted-error.ts';
import { redactedResources, redactedTexts } from './redacted-resources.ts';
import type { Redact, Redaction } from './release-redaction.ts';

const unknownMessage = 'a message is not shown, because the secrets in it are not known';

type Update = Parameters<StepTools['report']>[0];

/**
 * Runs a step with tools that redact the texts of its reports and keep their order, and returns its
 * result when all reports are made. Throws its error, redacted.
 * @param abandon ends the redaction, because the process exits
 */
export async function withRedaction<Tools extends StepTools, Result>(
  tools: Tools,
  redaction: Redaction,
  abandon: AbortSignal | undefined,
  run: (tools: Tools) => Promise<Result>,
): Promise<Result> {
  const reports = redactedReports(tools, redaction, abandon);
  try {
    return await run(reports.tools);
  } catch (error) {
    if (abandon?.aborted === true || error === tools.signal.reason) throw error;
    throw await redactedError(error, redaction, abandon);
  } finally {
    await reports.settled();
  }
}

function redactedReports<Tools extends StepTools>(
  tools: Tools,
  redaction: Redaction,
  abandon: AbortSignal | undefined,
): { tools: Tools; settled: () => Promise<void> } {
  const known = withoutRepetition(redaction);
  let waiting = 0;
  let last = Promise.resolve();

  async function reportRedacted({ message, resources, ...rest }: Update): Promise<void> {
    tools.report({
      ...rest,
      ...(message !== undefined && { message: await redactedMessage(message, known, abandon) }),
      ...(resources && { resources: await redactedResources(resources, known, abandon) }),
    });
  }

  return {
    tools: {
      ...tools,
      report(update) {
        if (waiting === 0 && !hasText(update)) {
          tools.report(update);
          return;
        }
        waiting += 1;
        last = last.then(() => reportRedacted(update)).finally(() => (waiting -= 1));
      },
    },
    settled: () => last,
  };
}

function hasText({ message, resources = [] }: Update): boolean {
  return message !== undefined || resources.some(({ reason }) => reason !== undefined);
}

/** After a failure, which may have taken seconds, the reports that wait do not try again. */
function withoutRepetition({ ofServer, ofPods }: Redaction): Redaction {
  const tried = (redact: Redact): Redact => {
    let hasFailed = false;
    return async (texts, signal) => {
      if (hasFailed) throw new Error('the texts cannot be redacted');
      try {
        return await redact(texts, signal);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    };
  };
  return { ofServer: tried(ofServer), ofPods: tried(ofPods) };
}

async function redactedMessage(message: string, { ofServer }: Redaction, abandon?: AbortSignal): Promise<string> {
  const [redacted = unknownMessage] = await redactedTexts([message], ofServer, abandon);
  return redacted;
}
