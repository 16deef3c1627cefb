// A client on npm `@modelcontextprotocol/client` 2.4.0; --mode is its negotiation mode, its default when absent.

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Notices, converse, options } from './conversation.mjs';

const { mode, script, server } = options();
const client = new Client(
  { name: 'peer-client-2.4.0', version: '2.4.0' },
  { capabilities: script.capabilities ?? {}, ...(mode === undefined ? {} : { versionNegotiation: { mode } }) },
);
const asked = [];
for (const [method, answer] of Object.entries(script.answers ?? {})) {
  client.setRequestHandler(method, () => {
    asked.push(method);
    return answer;
  });
}
const notices = new Notices();
for (const method of ['notifications/message', 'notifications/resources/updated']) {
  client.setNotificationHandler(method, ({ params }) => notices.add(method, params));
}

const CALLS = {
  'resources/list': () => client.listResources(),
  'resources/templates/list': () => client.listResourceTemplates(),
  'resources/read': (params) => client.readResource(params),
  'prompts/list': () => client.listPrompts(),
  'prompts/get': (params) => client.getPrompt(params),
  'completion/complete': (params) => client.complete(params),
  'logging/setLevel': ({ level }) => client.setLoggingLevel(level),
  'tools/call': (params) => client.callTool(params),
};

async function step({ call, params, log, wait, subscribe }) {
  if (wait !== undefined) {
    return notices.wait(wait);
  }
  if (subscribe !== undefined) {
    if (client.getNegotiatedProtocolVersion() === '2026-07-28') {
      return (await client.listen({ resourceSubscriptions: subscribe })).honoredFilter;
    }
    await Promise.all(subscribe.map((uri) => client.subscribeResource({ uri })));
    return { resourceSubscriptions: subscribe };
  }
  const level = log === undefined ? {} : { _meta: { 'io.modelcontextprotocol/logLevel': log } };
  try {
    return await CALLS[call]({ ...params, ...level });
  } catch (error) {
    return { error: error.code };
  }
}
await client.connect(new StdioClientTransport(server));
await converse(
  {
    revision: client.getNegotiatedProtocolVersion() ?? null,
    listTools: () => client.listTools(),
    callTool: (params, callOptions) => client.callTool(params, callOptions),
    step,
    asked,
    close: () => client.close(),
  },
  script,
);
