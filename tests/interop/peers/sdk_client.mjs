// A client on npm `@modelcontextprotocol/sdk`; --mode names the version, installed under that alias.

import { converse, endInput, options } from './conversation.mjs';

const { mode, script, server } = options();
const { Client } = await import(`sdk-${mode}/client/index.js`);
const { StdioClientTransport } = await import(`sdk-${mode}/client/stdio.js`);

const client = new Client({ name: `peer-sdk-${mode}`, version: mode }, { capabilities: {} });
const transport = new StdioClientTransport(server);
await client.connect(transport);
await converse(
  {
    revision: null,
    listTools: () => client.listTools(),
    callTool: (params, callOptions) => client.callTool(params, undefined, callOptions),
    async close() {
      if (mode !== '1.32.2' && script.close?.by !== 'sdk') {
        await endInput(transport._process);
      }
      await client.close();
    },
  },
  script,
);
