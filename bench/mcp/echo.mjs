// An MCP server that does nothing but echo, on the official TypeScript packages, without sessions:
// the modern era at /mcp, the legacy one at /legacy, each in the way that is faster there.
// Prints its port.
import { createServer } from 'node:http';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

const inputSchema = z.object({ text: z.string() });

function make() {
  const server = new McpServer({ name: 'echo', version: '1.0.0' });
  server.registerTool('echo', { description: 'Gives back a text', inputSchema },
    async ({ text }) => ({ content: [{ type: 'text', text }] }));
  return server;
}

async function legacy(request, response) {
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
    enableJsonResponse: true,
  });
  await make().connect(transport);
  await transport.handleRequest(request, response);
}

const modern = toNodeHandler(createMcpHandler(make));
const server = createServer((request, response) =>
  (request.url === '/legacy' ? legacy : modern)(request, response));
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
