import test from 'ava';
import { testProgram } from '../support/program.ts';

for (const command of [['backup'], ['recording', 'get', 'k1']]) {
  test(`ctl ${command.join(' ')} ends without a further error if its output is closed`, async (t) => {
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(new Uint8Array(10));
        stdout.close();
      },
    });
    const { run, stdout, stderr } = testProgram({
      env: { HELM_AGENT_SERVER: 'http://127.0.0.1:1' },
      fetch: (_url, init) =>
        Promise.resolve(
          new Response(body.pipeThrough(new TransformStream(), init?.signal ? { signal: init.signal } : {})),
        ),
    });
    t.is(await run('ctl', ...command), 1);
    t.is(stderr.text, '');
  });
}
