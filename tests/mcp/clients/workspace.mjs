// workspace.mjs CAIRN: the file tools with @modelcontextprotocol/client in each way it negotiates a
// revision, and with the inspector's command line: on directories that were named, on the client's
// own roots, and on a depot over HTTP. The client holds every answer against the tool's schema.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { answer, inspect } from './inspect.mjs';
import { about, check, done } from './report.mjs';
import { World } from './world.mjs';

const kModern = '2026-07-28';
const kModes = { legacy: 'legacy', auto: 'auto', [`pinned ${kModern}`]: { pin: kModern } };

function directory(world, name) {
  const made = path.join(world.home, name);
  fs.rmSync(made, { recursive: true, force: true });
  fs.mkdirSync(made);
  return made;
}

// `roots`: what the client says its roots are, a list that may change.
async function connect(transport, mode, roots) {
  const capabilities = roots ? { roots: { listChanged: true } } : {};
  const options = { capabilities, versionNegotiation: { mode } };
  const client = new Client({ name: 'test', version: '2' }, options);
  if (roots) {
    client.setRequestHandler('roots/list', () => ({
      roots: roots.map((root) => ({ uri: pathToFileURL(root).href })),
    }));
  }
  await client.connect(transport);
  client.say = async (name, args) => {
    const result = await client.callTool({ name, arguments: args });
    return result.isError ? `error: ${result.content[0].text}` : result.content[0].text;
  };
  return client;
}

const stdio = (world, args) =>
  new StdioClientTransport({ command: world.cairn_file, args, env: { HOME: world.home } });

// Each tool once; what only a depot has is left to who calls.
async function uses_every_tool(client) {
  const { tools } = await client.listTools();
  assert.ok(tools.length >= 17, `${tools.length} tools`);
  assert.match(await client.say('write_file', { path: 'a.txt', content: 'one\ntwo\n' }), /^Successfully/);
  assert.equal(await client.say('read_text_file', { path: 'a.txt' }), 'one\ntwo\n');
  assert.equal(await client.say('read_file', { path: 'a.txt', head: 1 }), 'one');
  assert.equal(await client.say('read_text_file', { path: 'a.txt', offset: 2, limit: 1 }), 'two');
  const media = await client.callTool({ name: 'read_media_file', arguments: { path: 'a.txt' } });
  assert.equal(media.content[0].resource.blob, Buffer.from('one\ntwo\n').toString('base64'));
  assert.match(await client.say('read_multiple_files', { paths: ['a.txt', 'no'] }), /no: Error - ENOENT/);
  const edits = [{ oldText: 'two', newText: 'TWO' }];
  assert.match(await client.say('edit_file', { path: 'a.txt', edits }), /\+TWO/);
  assert.match(await client.say('create_directory', { path: 'd/e' }), /^Successfully/);
  assert.match(await client.say('move_file', { source: 'a.txt', destination: 'd/a.txt' }), /^Successfully/);
  assert.match(await client.say('copy_file', { source: 'd/a.txt', destination: 'b.txt' }), /^Successfully/);
  assert.match(await client.say('copy_file', { source: 'd/a.txt', destination: 'b.txt' }), /^error: /);
  assert.equal(await client.say('list_directory', { path: '.' }), '[FILE] b.txt\n[DIR] d');
  assert.match(await client.say('list_directory_with_sizes', { path: '.' }), /Total: 1 files, 1 directories/);
  assert.equal(JSON.parse(await client.say('directory_tree', { path: '.' })).length, 2);
  assert.match(await client.say('search_files', { path: '.', pattern: '**/*.txt' }), /b\.txt\n.*d\/a\.txt/);
  assert.match(await client.say('search_content', { path: '.', pattern: 'TWO' }), /b\.txt:2: TWO/);
  assert.match(await client.say('get_file_info', { path: 'b.txt' }), /^size: 8\n/);
  assert.match(await client.say('list_allowed_directories', {}), /^Allowed directories:\n\//);
  assert.match(await client.say('read_text_file', { path: '../x' }), /^error: Access denied/);
  assert.match(await client.say('delete_file', { path: 'd', recursive: true }), /^Successfully/);
}

async function works_in_a_directory(world, mode) {
  const root = directory(world, 'work');
  const client = await connect(stdio(world, ['mcp', '--root', root]), mode);
  await uses_every_tool(client);
  assert.equal(fs.readFileSync(path.join(root, 'b.txt'), 'utf8'), 'one\nTWO\n');
  await client.close();
}

async function takes_the_clients_roots(world, mode) {
  const roots = [directory(world, 'first')];
  const client = await connect(stdio(world, ['mcp', '--root']), mode, roots);
  assert.match(await client.say('list_allowed_directories', {}), /\/first$/);
  assert.match(await client.say('write_file', { path: 'x', content: 'x' }), /^Successfully/);
  assert.ok(fs.existsSync(path.join(roots[0], 'x')));
  if (mode === 'legacy') {
    roots[0] = directory(world, 'second');
    await client.sendRootsListChanged();
    assert.match(await client.say('list_allowed_directories', {}), /\/second$/);
  }
  await client.close();
}

async function keeps_the_directories_it_was_given(world, mode) {
  const root = directory(world, 'named');
  const roots = [directory(world, 'other')];
  const client = await connect(stdio(world, ['mcp', '--root', root]), mode, roots);
  assert.match(await client.say('list_allowed_directories', {}), /\/named$/);
  await client.close();
}

async function works_in_a_depot(world, mode) {
  const depot = (await world.call('create_depot', { title: `work ${Math.random()}` })).depotId;
  const transport = new StreamableHTTPClientTransport(new URL(`${world.mcp}/workspaces/${depot}`), {
    requestInit: { headers: { authorization: `Bearer ${world.token}` } },
  });
  const client = await connect(transport, mode);
  await uses_every_tool(client);
  assert.match(await client.say('history', { limit: 3 }), /delete_file d/);
  assert.match(await client.say('undo', {}), /delete_file d/);
  assert.match(await client.say('list_directory', { path: 'd' }), /a\.txt/);
  await client.close();
}

async function inspects(world) {
  const root = directory(world, 'inspected');
  fs.writeFileSync(path.join(root, 'a.txt'), 'seen\n');
  const target = [world.cairn_file, 'mcp', '--root', root];
  const strict = await inspect(world, target, ['--method', 'tools/list', '--strict']);
  assert.equal(strict.code, 0, strict.stderr);
  const read = await answer(world, target, [
    '--method', 'tools/call', '--tool-name', 'read_text_file', '--tool-args-json', '{"path": "a.txt"}']);
  assert.equal(read.structuredContent.content, 'seen\n');
}

const world = new World(process.argv[2]);
try {
  await world.serve();
  for (const [name, mode] of Object.entries(kModes)) {
    about(`workspace, ${name}`);
    await check('works in a directory', () => works_in_a_directory(world, mode));
    await check("takes the client's roots", () => takes_the_clients_roots(world, mode));
    await check('keeps the directories it was given', () => keeps_the_directories_it_was_given(world, mode));
    await check('works in a depot over HTTP', () => works_in_a_depot(world, mode));
  }
  about('workspace, inspector');
  await check('lists and calls', () => inspects(world));
} finally {
  await world.stop();
}
done();
