// A server on npm `@modelcontextprotocol/server` 2.4.0, served in both eras by `serveStdio`.

import { once } from 'node:events';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const text = (value) => ({ content: [{ type: 'text', text: value }] });

async function reportProgress({ mcpReq }, progress) {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken !== undefined) {
    await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress } });
  }
}

serveStdio(() => {
  const server = new McpServer({ name: 'peer-server-2.4.0', version: '2.4.0' }, { capabilities: { tools: {} } });
  server.registerTool(
    'echo',
    { description: 'Return the text.', inputSchema: z.object({ text: z.string() }) },
    (args) => text(args.text),
  );
  server.registerTool('fail', { description: 'Fail.', inputSchema: z.object({}) }, () => {
    throw new Error('failed as asked');
  });
  server.registerTool(
    'count',
    { description: 'Count to n.', inputSchema: z.object({ n: z.int() }) },
    async ({ n }, context) => {
      for (let value = 1; value <= n; value += 1) {
        await reportProgress(context, value);
      }
      return text(`counted to ${n}`);
    },
  );
  server.registerTool(
    'wait',
    { description: 'Run until cancelled.', inputSchema: z.object({}) },
    async (_args, context) => {
      const cancelled = once(context.mcpReq.signal, 'abort');
      await reportProgress(context, 1);
      await cancelled;
      console.error('cancelled wait');
      return text('');
    },
  );
  return server;
});
