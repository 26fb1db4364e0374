// inspector.mjs CAIRN: the MCP Inspector's command line, which checks schemas with --strict: over
// HTTP in both eras, and over stdio.
import assert from 'node:assert/strict';
import { answer, inspect } from './inspect.mjs';
import { about, check, done } from './report.mjs';
import { World, depot_uri, kLogo, kMain, kManyDepots } from './world.mjs';

const http = (world, era, token = world.token) => [
  world.mcp, '--transport', 'http', '--protocol-era', era, '--header',
  `Authorization: Bearer ${token}`,
];

// Several of them at once: each is a process that starts slowly.
async function story(world, target) {
  const ask = (...args) => answer(world, target, args);
  const call = (tool, args) =>
    ask('--method', 'tools/call', '--tool-name', tool, '--tool-args-json', JSON.stringify(args));
  await Promise.all([
    check('--strict finds nothing wrong with the tools', async () => {
      const { code, stdout, stderr } =
        await inspect(world, target, ['--method', 'tools/list', '--strict']);
      assert.equal(code, 0, stderr);
      assert.equal(stderr.trim(), '');
      const printed = JSON.parse(stdout);
      assert.equal((printed.result ?? printed).tools.length, 26);
    }),
    check('calls a tool', async () => {
      const read = await call('fs_read', { nodeKey: world.project, path: 'src/main.ts' });
      assert.equal(read.structuredContent.content, kMain);
    }),
    check('a failing call says why', async () => {
      const { code, stdout, stderr } = await inspect(world, target, [
        '--method', 'tools/call', '--tool-name', 'fs_stat', '--tool-args-json',
        JSON.stringify({ nodeKey: world.project, path: 'nowhere' }),
      ]);
      assert.match(stdout + stderr, /Error: PATH_NOT_FOUND — /);
      assert.notEqual(code, 0);
    }),
    check('lists resources, over pages', async () => {
      const { resources } = await ask('--method', 'resources/list');
      assert.ok(resources.length > kManyDepots);
    }),
    check('lists templates', async () => {
      const { resourceTemplates } = await ask('--method', 'resources/templates/list');
      assert.equal(resourceTemplates.length, 4);
    }),
    check('reads a binary file', async () => {
      const uri = `${depot_uri(world.project)}/logo.png`;
      const { contents } = await ask('--method', 'resources/read', '--uri', uri);
      assert.deepEqual(Buffer.from(contents[0].blob, 'base64'), kLogo);
    }),
    check('gets a prompt', async () => {
      const { messages } = await ask(
        '--method', 'prompts/get', '--prompt-name', 'refactor', '--prompt-args',
        `depotId=${world.project}`);
      assert.ok(messages[0].content.text.includes(world.project));
    }),
  ]);
}

const world = await World.make(process.argv[2]);
for (const era of ['legacy', 'modern']) {
  about(`inspector, HTTP ${era}`);
  await story(world, http(world, era));
  await check('is told that a token is wrong', async () => {
    const { code, stderr } =
      await inspect(world, http(world, era, 'nobodys'), ['--method', 'tools/list']);
    assert.notEqual(code, 0);
    assert.match(stderr, /401|nauthorized|auth_required/);
  });
}
about('inspector, stdio');
const { command, args } = world.stdio();
await story(world, [command, ...args]);
done();
