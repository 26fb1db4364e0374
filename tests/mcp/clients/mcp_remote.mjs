// mcp_remote.mjs CAIRN: mcp-remote, by which clients that only know stdio reach a server over HTTP:
// in front of the legacy SDK as it is by default, and turning a legacy client's requests into
// modern ones with --protocol auto. Then its own test client.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { about, check, done, kPatience } from './report.mjs';
import { connect } from './sdk_friend.mjs';
import { reader_story, story } from './story.mjs';
import { World } from './world.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const dist = path.join(here, 'node_modules/mcp-remote/dist');

const environment = (world) => ({
  PATH: process.env.PATH,
  HOME: world.home,
  MCP_REMOTE_CONFIG_DIR: path.join(world.home, 'mcp-remote'),
});

function remote_args(world, program, token, options) {
  const headers = path.join(world.home, `headers-${token.slice(0, 8).replaceAll('/', '_')}`);
  fs.writeFileSync(headers, `Authorization: Bearer ${token}\n`);
  return [
    path.join(dist, program), world.mcp, '--header-file', headers, '--transport', 'http-only',
    ...options,
  ];
}

const connect_remote = (world, token, options) =>
  connect(new StdioClientTransport({
    command: process.execPath,
    args: remote_args(world, 'proxy.js', token, ['--silent', ...options]),
    env: environment(world),
    stderr: 'ignore',
  }));

const world = await World.make(process.argv[2]);
for (const [name, options] of Object.entries({ legacy: [], auto: ['--protocol', 'auto'] })) {
  about(`mcp-remote ${name}`);
  const friend = await connect_remote(world, world.token, options);
  if (name === 'auto') Object.assign(friend, { bridged: true, not_found: -32602 });
  await story(friend, world, {
    commits: { rest: world.commit.bind(world), cli: world.put.bind(world) },
    make_depot: async () => (await world.call('create_depot', { title: `listed ${process.hrtime.bigint()}` })).depotId,
    pid: world.server.pid,
  });
  await friend.client.close();
  const reader = await connect_remote(world, world.reader, options);
  await reader_story(reader, world);
  await reader.client.close();
}
about('mcp-remote-client');
await check('connects and lists', async () => {
  const args = remote_args(world, 'client.js', world.token, []);
  const { stdout, stderr } = await new Promise((resolve) => {
    execFile(process.execPath, args, { env: environment(world), timeout: kPatience },
      (error, out, complaints) => resolve({ error, stdout: out, stderr: complaints }));
  });
  assert.match(stdout + stderr, /fs_grep/);
});
done();
