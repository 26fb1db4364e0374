// oauth_remote.mjs CAIRN: mcp-remote, by which programs that only know stdio sign in: with a code over its callback,
// and with a device code.
import assert from 'node:assert/strict';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { about, check, done, until } from './report.mjs';
import { Person } from './person.mjs';
import { World } from './world.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const kProxy = path.join(here, 'node_modules/mcp-remote/dist/proxy.js');
const kPassword = 'correct horse battery';

// A client behind mcp-remote; `said` is what it prints for the person.
async function behind(world, folder, options, person_does) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [kProxy, world.mcp, '--transport', 'http-only', '--auth-timeout', '100', ...options],
    env: {
      // No browser: whoever is asked to open one cannot.
      PATH: path.dirname(process.execPath),
      HOME: world.home,
      MCP_REMOTE_CONFIG_DIR: path.join(world.home, folder),
      BROWSER: 'none',
    },
    stderr: 'pipe',
  });
  let said = '';
  transport.stderr.on('data', (bytes) => {
    said += bytes;
  });
  const client = new Client({ name: 'test', version: '1' });
  const connecting = client.connect(transport);
  connecting.catch((error) => {
    said += `\n[failed] ${error}`;
  });
  try {
    await person_does(() => said);
    await connecting;
  } catch (error) {
    error.stack += `\n--- mcp-remote said ---\n${said}`;
    throw error;
  }
  return client;
}

async function calls(client) {
  const listed = await client.callTool({ name: 'list_depots', arguments: {} });
  assert.ok(!listed.isError);
  await client.close();
}

const printed = (said, pattern) =>
  until(() => {
    assert.ok(!said().includes('[failed]'), said());
    return pattern.exec(said());
  });

async function with_code(world, person) {
  about('mcp-remote');
  await check('signs in with a code', async () => {
    const client = await behind(world, 'code', [], async (said) => {
      const [url] = await printed(said, /http:\/\/[^\s]+\/oauth\/authorize\?[^\s]+/);
      const back = await person.answers(url);
      assert.ok(back instanceof URL, `the pages end at ${back.url}`);
      assert.match(back.hostname, /^(localhost|127\.0\.0\.1)$/);
      assert.equal((await fetch(back)).status, 200);
    });
    await calls(client);
  });
  await check('is let in again without asking', async () => {
    await calls(await behind(world, 'code', [], async () => {}));
  });
}

async function with_device(world, person) {
  about('mcp-remote');
  await check('signs in with a device code', async () => {
    const client = await behind(world, 'device', ['--device-code'], async (said) => {
      const [, code] = await printed(said, /\b([B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4})\b/);
      const page = await person.answers(`${world.url}/oauth/device?user_code=${code}`);
      assert.equal(page.status, 200);
    });
    await calls(client);
  });
}

const world = new World(process.argv[2]);
await world.serve();
await world.call('add_user', { name: 'ada', password: kPassword, role: 'authorized' });
const person = new Person(world.url, 'ada', kPassword);
await with_code(world, person);
await with_device(world, person);
await world.stop();
done();
