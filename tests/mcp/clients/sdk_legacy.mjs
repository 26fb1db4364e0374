// sdk_legacy.mjs CAIRN: @modelcontextprotocol/sdk 1.x over HTTP, over stdio through a running
// server, and over stdio on the data directory itself.
import assert from 'node:assert/strict';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { about, check, done, until } from './report.mjs';
import { connect } from './sdk_friend.mjs';
import { reader_story, story } from './story.mjs';
import { World, depot_uri, own_address } from './world.mjs';

// Requests as they went out, with the status of their answer.
async function connect_http(world, token = world.token, query = '') {
  const requests = [];
  const transport = new StreamableHTTPClientTransport(new URL(world.mcp + query), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      requests.push({ method: init.method ?? 'GET', status: response.status });
      return response;
    },
  });
  const friend = await connect(transport);
  friend.requests = requests;
  await until(() => requests.some((r) => r.method === 'GET' && r.status === 200));
  return friend;
}

async function raw(world, session, token = world.token) {
  const response = await fetch(world.mcp, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-session-id': session,
      'mcp-protocol-version': '2025-11-25',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });
  await response.text();
  return response.status;
}

async function over_http(world) {
  about('sdk 1.x, HTTP');
  const friend = await connect_http(world);
  await check('connects', () => {
    assert.equal(friend.client.getServerVersion().name, 'cairn');
    assert.equal(friend.transport.protocolVersion, '2025-11-25');
    assert.ok(friend.client.getInstructions().includes('depot_commit'));
    assert.match(friend.transport.sessionId, /^[!-~]{20,}$/);
  });
  await story(friend, world, {
    commits: { rest: world.commit.bind(world), cli: world.put.bind(world) },
    make_depot: async () => (await world.call('create_depot', { title: `listed ${process.hrtime.bigint()}` })).depotId,
    pid: world.server.pid,
  });
  await check('pings', () => friend.client.ping());
  await check('a session is its delegate\'s alone', async () => {
    const session = friend.transport.sessionId;
    assert.equal(await raw(world, session), 200);
    assert.equal(await raw(world, session, world.reader), 404);
  });
  await check('ends its session, which is then gone', async () => {
    const session = friend.transport.sessionId;
    await friend.transport.terminateSession();
    assert.equal(friend.transport.sessionId, undefined);
    assert.equal(await raw(world, session), 404);
    await friend.client.close();
  });
  await check('is told that a token is wrong', async () => {
    await assert.rejects(connect_http(world, 'nobodys'), { code: 401 });
  });
  await check('is told of a toolset that is none', async () => {
    await assert.rejects(connect_http(world, world.token, '?toolsets=nonsense'), (error) =>
      error.code === 400 && /no toolset 'nonsense'/.test(error.message));
  });
  await check('chooses toolsets in the URL', async () => {
    const few = await connect_http(world, world.token, '?toolsets=search&read-only=true');
    const { tools } = await few.client.listTools();
    assert.deepEqual(tools.map((tool) => tool.name).sort(), ['fs_find', 'fs_grep']);
    await few.client.close();
  });
  const reader = await connect_http(world, world.reader);
  await reader_story(reader, world);
  await reader.client.close();
  await check('a scoped delegate sees its view, and nothing else', async () => {
    const scoped = await connect_http(world, world.scoped);
    const { resources } = await scoped.client.listResources();
    assert.equal(resources.length, 1);
    const { contents } = await scoped.client.readResource({ uri: `${resources[0].uri}/main.ts` });
    assert.ok(contents[0].text.includes('pile'));
    const outside = scoped.client.readResource({ uri: `${resources[0].uri}/README.md` });
    await assert.rejects(outside, { code: -32002 });
    await scoped.client.close();
  });
}

async function after_a_restart(world) {
  about('sdk 1.x, HTTP');
  await check('meets 404 after a restart, and connects anew', async () => {
    const friend = await connect_http(world);
    await world.stop();
    await world.serve();
    await assert.rejects(friend.client.listTools(), { code: 404 });
    await friend.client.close();
    const again = await connect_http(world);
    assert.ok((await again.client.listTools()).tools.length > 0);
    await again.client.close();
  });
}

function stdio(world, args, env) {
  const transport = new StdioClientTransport({ ...world.stdio(args, env), stderr: 'pipe' });
  transport.complaints = '';
  transport.stderr.on('data', (text) => (transport.complaints += text));
  return transport;
}

async function through_server(world) {
  about('sdk 1.x, stdio through a server');
  const friend = await connect(stdio(world));
  await story(friend, world, {
    commits: { rest: world.commit.bind(world), cli: world.put.bind(world) },
    make_depot: async () => (await world.call('create_depot', { title: `listed ${process.hrtime.bigint()}` })).depotId,
    pid: world.server.pid,
  });
  await friend.client.close();
  const reader = await connect(stdio(world, [], { CAIRN_TOKEN: world.reader }));
  await reader_story(reader, world);
  await reader.client.close();
}

// Whether a process is there.
function lives(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function sharing(world) {
  const first = await connect(stdio(world));
  const second = await connect(stdio(world));
  const end = await second.watch([depot_uri(world.project)]);
  const told = async (commit) => {
    second.heard.length = 0;
    await commit();
    await until(() => second.heard.some((m) => m.params?.uri === depot_uri(world.project)));
  };
  await check('two share a directory, and hear of each other', () =>
    told(() => commit_by(first)(world.project, 'shared.txt', `${Math.random()}\n`)));
  await check('the second goes on when the first has gone', async () => {
    const { pid } = first.transport;
    await first.client.close();
    await until(() => !lives(pid));
    const read = await second.call('fs_read', { nodeKey: world.project, path: 'shared.txt' });
    assert.ok(!read.isError);
    await told(() => world.put(world.project, 'shared.txt', `${Math.random()}\n`));
    await end();
  });
  await second.client.close();
}

const commit_by = (friend) => async (depot, path, content) => {
  const written = await friend.call('fs_write', { nodeKey: depot, path, content });
  const root = written.structuredContent.newRoot;
  const committed = await friend.call('depot_commit', { depotId: depot, root });
  assert.ok(!committed.isError);
};

async function on_directory(world) {
  about('sdk 1.x, stdio on the data directory');
  const friend = await connect(stdio(world));
  const made = () => friend.call('create_depot', { title: `listed ${process.hrtime.bigint()}` });
  await story(friend, world, {
    commits: { itself: commit_by(friend), cli: world.put.bind(world) },
    make_depot: async () => (await made()).structuredContent.depotId,
    pid: friend.transport.pid,
  });
  await check('ends when its input ends', async () => {
    const { pid } = friend.transport;
    await friend.client.close();
    await until(() => !lives(pid));
    assert.equal(friend.transport.complaints, '');
  });
  await check('chooses toolsets on the command line', async () => {
    const few = await connect(stdio(world, ['--toolsets', 'minimal', '--exclude-tools', 'fs_edit']));
    const { tools } = await few.client.listTools();
    assert.ok(tools.length > 3 && tools.length < 10);
    assert.ok(!tools.some((tool) => tool.name === 'fs_edit'));
    await few.client.close();
  });
  const reader = await connect(stdio(world, [], { CAIRN_TOKEN: world.reader }));
  await reader_story(reader, world);
  await reader.client.close();
  await sharing(world);
}

const world = await World.make(process.argv[2], own_address());
await over_http(world);
await through_server(world);
await after_a_restart(world);
await world.stop();
await on_directory(world);
done();
