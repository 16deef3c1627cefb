// The steps of the matrix, for client programs in JavaScript; each SDK adds the session it can offer:
// { revision, listTools(), callTool(params, options), step(step), asked, close() }; those without `more` in their scripts
// need no `step` and `asked`.
//
// Usage of each program: CLIENT [--mode MODE] SCRIPT -- SERVER [ARGUMENT…]; the README beside the harness has the
// contract of scripts and of the lines printed.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

export function options() {
  const separator = process.argv.indexOf('--');
  const { values, positionals } = parseArgs({
    args: process.argv.slice(2, separator),
    options: { mode: { type: 'string' } },
    allowPositionals: true,
  });
  const [script] = positionals;
  const [command, ...args] = process.argv.slice(separator + 1);
  return {
    mode: values.mode,
    script: JSON.parse(script.startsWith('{') ? script : readFileSync(script, 'utf8')),
    server: { command, args },
  };
}

function report(step, fields) {
  process.stdout.write(`${JSON.stringify({ step, ...fields })}\n`);
}

const textOf = (result) => result.content.map((item) => item.text ?? '').join('');

async function cancelCall(session, script) {
  const { name, arguments: args, after } = script.cancel;
  const echo = () => session.callTool({ name: script.echo.name, arguments: script.echo.arguments }, {});
  const cancellation = new AbortController();
  let progressed;
  const firstProgress = new Promise((resolve) => (progressed = resolve));
  const outcome = session
    .callTool({ name, arguments: args }, { signal: cancellation.signal, onprogress: progressed })
    .then(
      (result) => `answered: ${textOf(result)}`,
      (error) => (cancellation.signal.aborted ? 'call.cancelled' : `failed: ${error.message}`),
    );
  // Without progress, a whole round trip later the handler has begun.
  await (after === 'first-progress' ? firstProgress : echo());
  cancellation.abort('no longer needed');
  report('cancel', { outcome: await outcome });
  report('after_cancel', { text: textOf(await echo()) });
}

// What a server told, until somebody waits for it.
export class Notices {
  #kept = [];
  #arrived = () => {};

  add(method, params) {
    this.#kept.push({ method, params });
    this.#arrived();
  }

  async wait(method) {
    for (;;) {
      const place = this.#kept.findIndex((notice) => notice.method === method);
      if (place !== -1) {
        return this.#kept.splice(place, 1)[0].params;
      }
      await new Promise((resolve) => (this.#arrived = resolve));
    }
  }
}

export async function converse(session, script) {
  report('connect', { revision: session.revision });
  report('list', { tools: (await session.listTools()).tools.map((tool) => tool.name) });
  if (script.echo) {
    const { name, arguments: args } = script.echo;
    report('echo', { text: textOf(await session.callTool({ name, arguments: args }, {})) });
  }
  if (script.fail) {
    const { name, arguments: args } = script.fail;
    report('fail', { isError: (await session.callTool({ name, arguments: args }, {})).isError ?? false });
  }
  if (script.progress) {
    const { name, arguments: args } = script.progress;
    const values = [];
    await session.callTool({ name, arguments: args }, { onprogress: ({ progress }) => values.push(progress) });
    report('progress', { values });
  }
  if (script.cancel) {
    await cancelCall(session, script);
  }
  for (const step of script.more ?? []) {
    report('more', { result: await session.step(step) });
  }
  if (script.more) {
    report('asked', { methods: session.asked });
  }
  await session.close();
  report('close', { server_exit: null });
}

// Ends the input and waits for the server, where closing the transport would send SIGTERM at once.
export async function endInput(childProcess) {
  childProcess.stdin.end();
  await once(childProcess, 'close');
}
