// oauth_sdk.mjs CAIRN: the official SDKs, 1.x and 2.x, from a refusal to a call that works: by dynamic registration,
// and as a client that was added before; two processes that renew at once; what a narrowed grant may do.
import assert from 'node:assert/strict';
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { about, check, done } from './report.mjs';
import { Person } from './person.mjs';
import { World } from './world.mjs';

const kCallback = 'http://127.0.0.1:1/callback';
const kPassword = 'correct horse battery';

// What a program keeps, in memory.
class Keeper {
  constructor(information = undefined, callback = kCallback) {
    this.kept = { information };
    this.callback = callback;
  }
  get redirectUrl() {
    return this.callback;
  }
  get clientMetadata() {
    return {
      client_name: 'Test program',
      redirect_uris: [this.callback],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    };
  }
  state() {
    this.sent_state = crypto.randomUUID();
    return this.sent_state;
  }
  clientInformation() {
    return this.kept.information;
  }
  saveClientInformation(information) {
    this.kept.information = information;
  }
  tokens() {
    return this.kept.tokens;
  }
  saveTokens(tokens) {
    this.kept.tokens = tokens;
  }
  redirectToAuthorization(url) {
    this.sent_to = url;
  }
  saveCodeVerifier(verifier) {
    this.kept.verifier = verifier;
  }
  codeVerifier() {
    return this.kept.verifier;
  }
  invalidateCredentials(what) {
    if (what === 'all' || what === 'tokens') delete this.kept.tokens;
    if (what === 'all' || what === 'client') delete this.kept.information;
  }
}

const kKinds = {
  'SDK 1.x': {
    client: () => new ClientV1({ name: 'test', version: '1' }),
    transport: (url, keeper) => new TransportV1(new URL(url), { authProvider: keeper }),
    finish: (transport, back) => transport.finishAuth(back.searchParams.get('code')),
  },
  'SDK 2.x': {
    client: () => new ClientV2({ name: 'test', version: '2' }),
    transport: (url, keeper) => new TransportV2(new URL(url), { authProvider: keeper }),
    finish: (transport, back) => transport.finishAuth(back.searchParams),
  },
};

async function connected(kind, url, keeper) {
  const client = kind.client();
  await client.connect(kind.transport(url, keeper));
  return client;
}

// From nothing to a client that is connected; what was granted is as `answer` has it.
async function granted(kind, world, person, keeper, answer = {}, url = world.mcp) {
  const first = kind.transport(url, keeper);
  await assert.rejects(kind.client().connect(first), /unauthorized/i);
  assert.ok(keeper.sent_to, 'the person is asked');
  const back = await person.answers(keeper.sent_to, answer);
  assert.ok(back instanceof URL, `the pages end at ${back.url}: ${back.status}\n${back.html?.slice(0, 2000)}`);
  assert.equal(back.origin + back.pathname, keeper.callback);
  assert.equal(back.searchParams.get('state'), keeper.sent_state);
  assert.equal(back.searchParams.get('iss'), world.url);
  await kind.finish(first, back);
  return connected(kind, url, keeper);
}

const called = async (client, name, args = {}) => client.callTool({ name, arguments: args });

async function refreshed(world, keeper) {
  const response = await fetch(`${world.url}/api/auth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: keeper.kept.tokens.refresh_token,
      client_id: keeper.kept.information.client_id,
    }),
  });
  return { status: response.status, body: await response.json() };
}

async function whole_story(name, kind, world) {
  about(name);
  const person = new Person(world.url, 'ada', kPassword);
  const keeper = new Keeper();
  let client;
  await check('registers, is granted, and calls', async () => {
    client = await granted(kind, world, person, keeper);
    const { tools } = await client.listTools();
    assert.ok(tools.some((tool) => tool.name === 'fs_write'), 'both scopes are asked for, and granted');
    const made = await called(client, 'create_depot', { title: `by ${name}` });
    assert.ok(made.isError, 'nobody who was granted files manages depots');
    const listed = await called(client, 'list_depots');
    assert.ok(!listed.isError);
  });
  await check('is told all that was granted', () => {
    const { tokens } = keeper.kept;
    assert.equal(tokens.token_type.toLowerCase(), 'bearer');
    assert.ok(Number.isInteger(tokens.expires_in));
    assert.deepEqual(tokens.scope.split(' ').sort(), ['cas:read', 'cas:write']);
    assert.ok(tokens.refresh_token);
  });
  await check('registers again as the same client', async () => {
    const again = new Keeper();
    again.kept.information = undefined;
    const other = await granted(kind, world, person, again);
    assert.equal(again.kept.information.client_id, keeper.kept.information.client_id);
    await other.close();
  });
  await check('two processes that renew at once both live on', async () => {
    const both = await Promise.all([refreshed(world, keeper), refreshed(world, keeper)]);
    for (const one of both) {
      assert.equal(one.status, 200, JSON.stringify(one.body));
      const mine = new Keeper(keeper.kept.information);
      mine.kept.tokens = one.body;
      const renewed = await connected(kind, world.mcp, mine);
      assert.ok(!(await called(renewed, 'list_depots')).isError);
      await renewed.close();
    }
  });
  await check('renews by itself when its access token is not good any more', async () => {
    const stale = new Keeper(keeper.kept.information);
    stale.kept.tokens = { ...(await refreshed(world, keeper)).body, access_token: 'A'.repeat(44) };
    const renewed = await connected(kind, world.mcp, stale);
    assert.notEqual(stale.kept.tokens.access_token, 'A'.repeat(44));
    await renewed.close();
  });
  await check('is told when the person says no', async () => {
    const refused = new Keeper(keeper.kept.information);
    const transport = kind.transport(world.mcp, refused);
    await assert.rejects(kind.client().connect(transport), /unauthorized/i);
    const back = await person.answers(refused.sent_to, { allow: false });
    assert.equal(back.searchParams.get('error'), 'access_denied');
    assert.equal(back.searchParams.get('iss'), world.url);
    assert.equal(back.searchParams.get('code'), null);
  });
  await check('a client that was added before needs no registration', async () => {
    const added = JSON.parse(
      await world.cairn('client', 'add', `added for ${name}`, '--redirect', kCallback, '--json'),
    );
    const known = new Keeper({ client_id: added.clientId ?? added.client.clientId });
    const other = await granted(kind, world, person, known);
    assert.ok(!(await called(other, 'list_depots')).isError);
    await other.close();
  });
  await check('a token for one workspace opens nothing else', async () => {
    const narrow = new Keeper();
    const url = `${world.mcp}/workspaces/${world.project}`;
    const there = await granted(kind, world, person, narrow, {}, url);
    assert.ok((await there.listTools()).tools.some((tool) => tool.name === 'read_file'));
    await there.close();
    for (const elsewhere of [world.mcp, `${world.url}/api/realm/me/depots`]) {
      const response = await fetch(elsewhere, {
        headers: { authorization: `Bearer ${narrow.kept.tokens.access_token}` },
      });
      assert.equal(response.status, 401, elsewhere);
    }
  });
  await client?.close();
}

const world = new World(process.argv[2]);
await world.serve();
await world.call('add_user', { name: 'ada', password: kPassword, role: 'authorized' });
const ada = await (
  await fetch(`${world.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'ada', password: kPassword }),
  })
).json();
world.project = (await world.call('create_depot', { title: 'project' }, ada.accessToken)).depotId;
for (const [name, kind] of Object.entries(kKinds)) await whole_story(name, kind, world);
await world.stop();
done();
