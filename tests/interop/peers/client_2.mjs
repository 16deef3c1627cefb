// A client on npm `@modelcontextprotocol/client` 2.4.0; --mode is its negotiation mode, its default when absent.

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { converse, options } from './conversation.mjs';

const { mode, script, server } = options();
const client = new Client(
  { name: 'peer-client-2.4.0', version: '2.4.0' },
  mode === undefined ? {} : { versionNegotiation: { mode } },
);
await client.connect(new StdioClientTransport(server));
await converse(
  {
    revision: client.getNegotiatedProtocolVersion() ?? null,
    listTools: () => client.listTools(),
    callTool: (params, callOptions) => client.callTool(params, callOptions),
    close: () => client.close(),
  },
  script,
);
