// client_v2.mjs CAIRN: @modelcontextprotocol/client 2.x in each way it negotiates a revision, over
// HTTP, over stdio through a running server, and over stdio on the data directory itself.
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { about, check, done, until } from './report.mjs';
import { reader_story, story, tap, tap_received } from './story.mjs';
import { World, depot_uri, own_address } from './world.mjs';

const kModern = '2026-07-28';
const kModes = { legacy: 'legacy', auto: 'auto', [`pinned ${kModern}`]: { pin: kModern } };

async function connect(transport, mode) {
  const client = new Client({ name: 'test', version: '2' }, { versionNegotiation: { mode } });
  const friend = { client, transport: tap(transport), heard: [], modern: mode !== 'legacy' };
  friend.not_found = -32602; // whatever the server says
  for (const method of ['notifications/resources/updated', 'notifications/resources/list_changed']) {
    client.setNotificationHandler(method, (m) => friend.heard.push({ ...m, method }));
  }
  await client.connect(transport);
  tap_received(transport);
  friend.call = (name, args, options) => client.callTool({ name, arguments: args }, options);
  friend.watch = friend.modern ? listening(client) : subscribing(client);
  return friend;
}

const subscribing = (client) => async (uris) => {
  for (const uri of uris) await client.subscribeResource({ uri });
  return async () => {
    for (const uri of uris) await client.unsubscribeResource({ uri });
  };
};

const listening = (client) => async (uris) => {
  const filter = { resourcesListChanged: true };
  if (uris.length > 0) filter.resourceSubscriptions = uris;
  const subscription = await client.listen(filter);
  assert.deepEqual(subscription.honoredFilter, filter);
  return () => subscription.close();
};

async function connect_http(world, mode, token = world.token) {
  const requests = [];
  const transport = new StreamableHTTPClientTransport(new URL(world.mcp), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      requests.push({ method: init.method ?? 'GET', status: response.status });
      return response;
    },
  });
  const friend = await connect(transport, mode);
  friend.requests = requests;
  if (!friend.modern) {
    await until(() => requests.some((r) => r.method === 'GET' && r.status === 200));
  }
  return friend;
}

async function connects(friend) {
  const { client } = friend;
  assert.equal(client.getProtocolEra(), friend.modern ? 'modern' : 'legacy');
  assert.equal(client.getNegotiatedProtocolVersion(), friend.modern ? kModern : '2025-11-25');
  assert.equal(client.getServerVersion().name, 'cairn');
  assert.ok(client.getInstructions().includes('depot_commit'));
  assert.ok(client.getServerCapabilities().completions);
}

async function is_cached(friend, world) {
  const { contents } = await friend.client.readResource({ uri: depot_uri(world.project) });
  const { root } = JSON.parse(contents[0].text);
  const count = () => friend.transport.sent.length;
  const node = { uri: `cas://node:${root.replace(/^nod_/, '')}/README.md` };
  await friend.client.readResource(node);
  let before = count();
  await friend.client.readResource(node);
  assert.equal(count(), before, 'what never changes is asked for once');
  await friend.client.readResource({ uri: depot_uri(world.project) });
  assert.equal(count(), before + 1, 'what changes is asked for again');
  before = count();
  await friend.client.listPrompts();
  await friend.client.listPrompts();
  assert.ok(count() <= before + 1);
}

async function over_http(world, name, mode) {
  about(`client 2.x ${name}, HTTP`);
  const friend = await connect_http(world, mode);
  await check('connects', () => connects(friend));
  await story(friend, world, {
    commits: { rest: world.commit.bind(world), cli: world.put.bind(world) },
    make_depot: async () => (await world.call('create_depot', { title: `listed ${process.hrtime.bigint()}` })).depotId,
    pid: world.server.pid,
  });
  if (friend.modern) {
    await check('keeps what it was told it may keep', () => is_cached(friend, world));
    await check('has no session', () => assert.equal(friend.transport.sessionId, undefined));
    await check('makes no request that is refused', () => {
      const refused = friend.requests.filter((request) => request.status >= 400);
      // An unknown cursor, tool, prompt argument or resource is answered with 200.
      assert.deepEqual(refused, []);
    });
  } else {
    await check('ends its session', async () => {
      await friend.transport.terminateSession();
      assert.equal(friend.requests.findLast((r) => r.method === 'DELETE').status, 204);
    });
  }
  await friend.client.close();
  await check('is told that a token is wrong', async () => {
    await assert.rejects(connect_http(world, mode, 'nobodys'), (error) => error.status === 401);
  });
  const reader = await connect_http(world, mode, world.reader);
  await reader_story(reader, world);
  await reader.client.close();
}

async function restarting(world) {
  about('client 2.x, HTTP');
  await check('without a session goes on after a restart; its subscription ended well', async () => {
    const friend = await connect_http(world, 'auto');
    const subscription = await friend.client.listen({ resourcesListChanged: true });
    await world.stop();
    assert.equal(await subscription.closed, 'graceful');
    await world.serve();
    const { tools } = await friend.client.listTools({}, { cacheMode: 'refresh' });
    assert.ok(tools.length > 0);
    await friend.client.close();
  });
}

const stdio = (world, args, env) =>
  new StdioClientTransport({ ...world.stdio(args, env), stderr: 'inherit' });

async function through_server(world, name, mode) {
  about(`client 2.x ${name}, stdio through a server`);
  const friend = await connect(stdio(world), mode);
  await check('connects', () => connects(friend));
  await story(friend, world, {
    commits: { rest: world.commit.bind(world), cli: world.put.bind(world) },
    make_depot: async () => (await world.call('create_depot', { title: `listed ${process.hrtime.bigint()}` })).depotId,
    pid: world.server.pid,
  });
  await friend.client.close();
}

async function on_directory(world, name, mode) {
  about(`client 2.x ${name}, stdio on the data directory`);
  const friend = await connect(stdio(world), mode);
  await check('connects', () => connects(friend));
  const commit = async (depot, path, content) => {
    const written = await friend.call('fs_write', { nodeKey: depot, path, content });
    const root = written.structuredContent.newRoot;
    const committed = await friend.call('depot_commit', { depotId: depot, root });
    assert.ok(!committed.isError);
  };
  const made = () => friend.call('create_depot', { title: `listed ${process.hrtime.bigint()}` });
  await story(friend, world, {
    commits: { itself: commit, cli: world.put.bind(world) },
    make_depot: async () => (await made()).structuredContent.depotId,
    pid: friend.transport.pid,
  });
  await friend.client.close();
  const reader = await connect(stdio(world, [], { CAIRN_TOKEN: world.reader }), mode);
  await reader_story(reader, world);
  await reader.client.close();
}

const world = await World.make(process.argv[2], own_address());
for (const [name, mode] of Object.entries(kModes)) await over_http(world, name, mode);
for (const [name, mode] of Object.entries(kModes)) await through_server(world, name, mode);
await restarting(world);
await world.stop();
for (const [name, mode] of Object.entries(kModes)) await on_directory(world, name, mode);
done();
