// A server on npm `@modelcontextprotocol/server` 2.4.0, served in both eras by `serveStdio`.

import { once } from 'node:events';
import { McpServer, ResourceTemplate, completable, inputRequired, inputResponse } from '@modelcontextprotocol/server';
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
  const server = new McpServer({ name: 'peer-server-2.4.0', version: '2.4.0' }, { capabilities: { tools: {}, logging: {} } });
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
  // Each asks one question, and says what it was answered.
  const asks = (name, question, answered) =>
    server.registerTool(name, { description: 'Ask.', inputSchema: z.object({}) }, (_args, { mcpReq }) => {
      const answer = inputResponse(mcpReq.inputResponses, 'q');
      return answer.kind === 'missing'
        ? inputRequired({ inputRequests: { q: question } })
        : text(`got ${answered(answer)}`);
    });
  asks(
    'ask',
    inputRequired.elicit({ message: 'Who?', requestedSchema: z.object({ name: z.string() }) }),
    ({ content }) => content.name,
  );
  asks(
    'sample',
    inputRequired.createMessage({
      messages: [{ role: 'user', content: { type: 'text', text: 'Say a word' } }],
      maxTokens: 10,
    }),
    ({ result }) => result.content.text,
  );
  asks('roots', inputRequired.listRoots(), ({ roots }) => roots[0].uri);
  server.registerTool('log', { description: 'Log.', inputSchema: z.object({}) }, async (_args, { mcpReq }) => {
    await mcpReq.log('debug', 'quiet');
    await mcpReq.log('warning', 'loud');
    return text('logged');
  });
  const plain = { mimeType: 'text/plain' };
  server.registerResource('text', 'test://text', plain, (uri) => ({
    contents: [{ uri: uri.href, text: 'héé 漢 🦀' }],
  }));
  server.registerResource('blob', 'test://blob', { mimeType: 'application/octet-stream' }, (uri) => ({
    contents: [{ uri: uri.href, blob: Buffer.from('fbffbffeff', 'hex').toString('base64') }],
  }));
  server.registerResource(
    'item',
    new ResourceTemplate('test://item/{number}', { list: undefined }),
    plain,
    (uri, { number }) => ({ contents: [{ uri: uri.href, text: `item ${number}` }] }),
  );
  const names = (value) => ['Ada', 'Alan', 'Grace'].filter((name) => name.startsWith(value));
  server.registerPrompt('greet', { argsSchema: z.object({ who: completable(z.string(), names) }) }, ({ who }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Hello ${who}` } }],
  }));
  return server;
});
