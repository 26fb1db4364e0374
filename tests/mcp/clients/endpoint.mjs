// endpoint.mjs CAIRN: an endpoint's tools, with @modelcontextprotocol/client in each way it
// negotiates a revision, and with the inspector's command line: listed, called, changed while
// connected, gone when the endpoint is disabled.
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { answer, inspect } from './inspect.mjs';
import { about, check, done, until } from './report.mjs';
import { World } from './world.mjs';

const kModern = '2026-07-28';
const kModes = { legacy: 'legacy', auto: 'auto', [`pinned ${kModern}`]: { pin: kModern } };

class Shop {
  constructor(world) {
    this.world = world;
  }

  tool(name, args) {
    return this.world.call(name, args);
  }

  // A depot with a list, a tool that queries it, an endpoint that shows it.
  async open() {
    this.depot = (await this.tool('create_depot', { title: 'shop' })).depotId;
    const content = '[{"id": 1}, {"id": 2}]\n';
    const write = { nodeKey: this.depot, path: 'orders.json', content };
    const root = (await this.tool('fs_write', write)).newRoot;
    await this.tool('depot_commit', { depotId: this.depot, root });
    this.query = await this.make('query');
    this.create = await this.make('create');
    const bindings = [{ toolId: this.query, toolName: 'find_orders' }];
    const made = await this.tool('create_endpoint', { name: 'shop', description: 'Orders', bindings });
    this.endpoint = made.endpointId;
    this.url = new URL(this.world.url + made.url);
    return this;
  }

  async make(operationType) {
    const context = { depotId: this.depot, path: 'orders.json' };
    return (await this.tool('create_tool', { operationType, ...context })).toolId;
  }
}

async function tells_of_changes(shop, mode) {
  const client = new Client({ name: 'test', version: '2' }, { versionNegotiation: { mode } });
  let heard = 0;
  client.setNotificationHandler('notifications/tools/list_changed', () => { heard += 1; });
  const gets = [];
  const transport = new StreamableHTTPClientTransport(shop.url, {
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      if ((init.method ?? 'GET') === 'GET') gets.push(response.status);
      return response;
    },
  });
  await client.connect(transport);
  if (mode === 'legacy') {
    await until(() => gets.includes(200));
  } else {
    await client.listen({ toolsListChanged: true });
  }
  const names = async () => (await client.listTools()).tools.map((tool) => tool.name);
  assert.deepEqual(await names(), ['find_orders']);
  const found = await client.callTool({ name: 'find_orders', arguments: { expression: '[].id' } });
  assert.deepEqual(found.structuredContent.result.slice(0, 2), [1, 2]);
  const wrong = await client.callTool({ name: 'find_orders', arguments: { expression: '[' } });
  assert.ok(wrong.isError);
  assert.match(wrong.content[0].text, /INVALID_QUERY/);

  const before = heard;
  const bindings = [{ toolId: shop.create, toolName: 'add_orders' }];
  const bound = await shop.tool('bind_tools', { endpointId: shop.endpoint, bindings });
  await until(() => heard > before);
  assert.deepEqual(await names(), ['find_orders', 'add_orders']);
  const items = [{ id: 100 + heard }];
  const added = await client.callTool({ name: 'add_orders', arguments: { items } });
  assert.ok(!added.isError, JSON.stringify(added));

  // A tool's own description is in the list, so a change of the tool is told too.
  const after = heard;
  await shop.tool('update_tool', { toolId: shop.query, description: `now ${Math.random()}` });
  await until(() => heard > after);
  const bindingId = bound.bindings.find((one) => one.toolName === 'add_orders').bindingId;
  await shop.tool('unbind_tool', { endpointId: shop.endpoint, bindingId });
  await until(() => heard > after + 1);
  assert.deepEqual(await names(), ['find_orders']);

  await shop.tool('update_endpoint', { endpointId: shop.endpoint, status: 'disabled' });
  await assert.rejects(client.listTools());
  await shop.tool('update_endpoint', { endpointId: shop.endpoint, status: 'active' });
  await client.close().catch(() => {});
}

async function inspects(shop, era) {
  const target = [shop.url.href, '--transport', 'http', '--protocol-era', era];
  const strict = await inspect(shop.world, target, ['--method', 'tools/list', '--strict']);
  assert.equal(strict.code, 0, strict.stderr);
  assert.equal(strict.stderr.trim(), '');
  const listed = await answer(shop.world, target, ['--method', 'tools/list']);
  assert.deepEqual(listed.tools.map((tool) => tool.name), ['find_orders']);
  const args = JSON.stringify({ expression: 'length(@) > `1`' });
  const found = await answer(shop.world, target, [
    '--method', 'tools/call', '--tool-name', 'find_orders', '--tool-args-json', args]);
  assert.equal(found.structuredContent.result, true);
}

const world = new World(process.argv[2]);
try {
  await world.serve();
  const shop = await new Shop(world).open();
  for (const [name, mode] of Object.entries(kModes)) {
    about(`endpoint, ${name}`);
    await check('lists, calls and hears of changes', () => tells_of_changes(shop, mode));
  }
  about('endpoint, inspector');
  for (const era of ['legacy', 'modern']) {
    await check(`${era}: lists and calls`, () => inspects(shop, era));
  }
} finally {
  await world.stop();
}
done();
