// What every client does, whichever it is and however it is connected.
//
// A friend is a connected client:
//   client     the SDK's
//   transport  its transport, with `sent` and `received` messages (see `tap`)
//   call       calls a tool: (name, arguments, options)
//   heard      what the server said unasked, as {method, params}
//   watch      asks to be told about resources: (uris) -> a function that ends it
//   modern     whether it speaks 2026-07-28
//   not_found  the error code it shows for a resource that is none
//   bridged    a bridge stands between it and a modern server: what it asks to be told arrives there
//              late and is never taken back, nor does a cancellation arrive
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { check, until } from './report.mjs';
import * as world_of from './world.mjs';
import { depot_uri, id_in_uri } from './world.mjs';

const kDefaultTools = [
  'create_delegate', 'create_depot', 'depot_commit', 'depot_history', 'depot_revert', 'depot_undo', 'fs_cp',
  'fs_diff', 'fs_edit', 'fs_find', 'fs_grep', 'fs_ls', 'fs_mkdir', 'fs_mv', 'fs_read',
  'fs_read_many', 'fs_rewrite', 'fs_rm', 'fs_stat', 'fs_tree', 'fs_write', 'get_depot', 'get_realm_info',
  'get_usage', 'list_depots', 'node_metadata',
];
const kPrompts = ['casfa-guide', 'edit-files', 'explore-project', 'refactor'];
const kTemplates = [
  'cas://depot:{depotId}', 'cas://depot:{depotId}/{+path}', 'cas://node:{nodeKey}',
  'cas://node:{nodeKey}/{+path}',
];

// Records what a transport sends and receives. Before it is connected; `tap_received` after.
export function tap(transport) {
  transport.sent = [];
  transport.received = [];
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    transport.sent.push(message);
    return send(message, options);
  };
  return transport;
}

export function tap_received(transport) {
  const receive = transport.onmessage;
  transport.onmessage = (message, extra) => {
    transport.received.push(message);
    receive.call(transport, message, extra);
  };
}

const names = (rows) => rows.map((row) => row.name).sort();
const text_of = (result) => result.content[0].text;

async function tools(friend) {
  const listed = await friend.client.listTools();
  assert.deepEqual(names(listed.tools), kDefaultTools);
  assert.equal(listed.nextCursor, undefined);
  for (const tool of listed.tools) {
    assert.ok(tool.description.length > 20, tool.name);
    assert.equal(tool.inputSchema.type, 'object', tool.name);
    assert.equal(tool.outputSchema.type, 'object', tool.name);
    assert.equal(tool.annotations.openWorldHint, false, tool.name);
  }
  const reading = listed.tools.filter((tool) => tool.annotations.readOnlyHint);
  assert.ok(names(reading).includes('fs_grep') && !names(reading).includes('fs_write'));
}

// Calls a tool whose answer the SDK holds against its outputSchema.
async function good(friend, name, args) {
  const result = await friend.call(name, args);
  assert.ok(!result.isError, text_of(result));
  assert.equal(result.content.length, 1);
  assert.deepEqual(JSON.parse(text_of(result)), result.structuredContent, name);
  return result.structuredContent;
}

async function every_tool(friend, world) {
  const called = new Set();
  const ask = (name, args) => {
    called.add(name);
    return good(friend, name, args);
  };
  const { depotId, root: empty } = await ask('create_depot', { title: `mine ${Math.random()}` });
  let at = { newRoot: world.project };
  const write = async (name, args) => {
    at = await ask(name, { nodeKey: at.newRoot, ...args });
    return at;
  };
  await write('fs_write', { path: 'docs/new.md', content: 'new\nlines\n' });
  const edits = [{ oldText: 'lines', newText: 'words' }];
  await write('fs_edit', { path: 'docs/new.md', edits });
  await write('fs_mkdir', { path: 'docs/empty' });
  await write('fs_cp', { from: 'docs/new.md', to: 'docs/copy.md' });
  await write('fs_mv', { from: 'docs/copy.md', to: 'docs/moved.md' });
  await write('fs_rm', { path: 'docs/empty' });
  await write('fs_rewrite', { entries: { 'lib': { from: 'src/lib' } }, deletes: ['src/lib'] });
  const done = await ask('depot_commit', { depotId, root: at.newRoot, force: true });
  assert.equal((await ask('fs_read', { nodeKey: depotId, path: 'docs/new.md' })).content,
    'new\nwords\n');
  assert.equal((await ask('fs_stat', { nodeKey: depotId, path: 'logo.png' })).size, 12);
  await ask('fs_ls', { nodeKey: depotId });
  await ask('fs_tree', { nodeKey: depotId });
  assert.equal((await ask('fs_find', { nodeKey: depotId, pattern: '**/*.ts' })).matches.length, 2);
  assert.equal((await ask('fs_grep', { nodeKey: depotId, pattern: 'st[o]nes' })).matches, 4);
  await ask('fs_read_many', { nodeKey: depotId, paths: ['README.md', 'nowhere'] });
  const changes = await ask('fs_diff', { from: world.project, to: done.root });
  assert.ok(changes.changes.length >= 3);
  await ask('get_depot', { depotId });
  await ask('list_depots', {});
  await ask('depot_history', { depotId });
  if (empty) await ask('depot_revert', { depotId, root: empty });
  await ask('depot_undo', { depotId });
  await ask('node_metadata', { nodeKey: done.root });
  await ask('create_delegate', { name: 'a child' });
  await ask('get_realm_info', {});
  await ask('get_usage', {});
  assert.deepEqual(kDefaultTools.filter((name) => !called.has(name)), empty ? [] : ['depot_revert']);
}

async function failing_calls(friend, world) {
  const missing = await friend.call('fs_read', { nodeKey: world.project, path: 'src/nowhere.ts' });
  assert.equal(missing.isError, true);
  assert.match(text_of(missing), /^Error: PATH_NOT_FOUND — .*nowhere\.ts/);
  const wrong = await friend.call('fs_read', { nodeKey: world.project, paht: 'x' });
  assert.equal(wrong.isError, true);
  assert.match(text_of(wrong), /^Error: INVALID_ARGUMENT — .*paht/);
  await assert.rejects(friend.call('no_such_tool', {}), { code: -32602 });
}

async function read_text(friend, world, path) {
  const { contents } = await friend.client.readResource({
    uri: `${depot_uri(world.project)}/${path}`,
  });
  assert.equal(contents.length, 1);
  assert.equal(contents[0].uri, `${depot_uri(world.project)}/${path}`);
  return contents[0];
}

async function reading(friend, world) {
  const text = await read_text(friend, world, 'src/main.ts');
  assert.equal(text.text, world_of.kMain);
  const blob = await read_text(friend, world, 'logo.png');
  assert.equal(blob.mimeType, 'image/png');
  assert.deepEqual(Buffer.from(blob.blob, 'base64'), world_of.kLogo);
  const directory = await read_text(friend, world, 'src');
  assert.equal(directory.mimeType, 'application/json');
  assert.deepEqual(names(JSON.parse(directory.text).children), ['lib', 'main.ts']);
  const { contents } = await friend.client.readResource({ uri: depot_uri(world.project) });
  const depot = JSON.parse(contents[0].text);
  assert.equal(depot.title, 'project');
  const node = `cas://node:${depot.root.replace(/^nod_/, '')}/README.md`;
  const read = await friend.client.readResource({ uri: node });
  assert.equal(read.contents[0].text, world_of.kReadme);
  const missing = friend.client.readResource({ uri: `${depot_uri(world.project)}/nowhere` });
  await assert.rejects(missing, { code: friend.not_found });
}

async function templates(friend) {
  const listed = await friend.client.listResourceTemplates();
  assert.deepEqual(listed.resourceTemplates.map((row) => row.uriTemplate).sort(), kTemplates);
}

// Page by page, with whatever cursor comes; a client may have put the pages together itself.
async function paging(friend, world) {
  const seen = [];
  let pages = 0;
  let cursor;
  do {
    const page = await friend.client.listResources(cursor === undefined ? {} : { cursor });
    seen.push(...page.resources.map((row) => row.uri));
    cursor = page.nextCursor;
    ++pages;
  } while (cursor !== undefined);
  const asked = friend.transport.sent.filter((message) => message.method === 'resources/list');
  assert.ok(asked.length >= 2, 'there was more than a page');
  assert.ok(seen.length >= world.depot_count);
  assert.equal(new Set(seen).size, seen.length, 'nothing is listed twice');
  assert.ok(seen.includes(depot_uri(world.project)));
  await assert.rejects(friend.client.listResources({ cursor: 'no cursor of yours' }),
    { code: -32602 });
}

async function completing(friend, world) {
  const complete = async (ref, name, value, context) => {
    const params = { ref, argument: { name, value } };
    if (context) params.context = { arguments: context };
    return (await friend.client.complete(params)).completion;
  };
  const prompt = { type: 'ref/prompt', name: 'edit-files' };
  assert.deepEqual((await complete(prompt, 'depotId', 'proj')).values, [world.project]);
  const many = await complete(prompt, 'depotId', 'dpt_');
  assert.equal(many.values.length, 100);
  assert.equal(many.hasMore, true);
  const file = { type: 'ref/resource', uri: 'cas://depot:{depotId}/{+path}' };
  const depot = id_in_uri(world.project);
  assert.deepEqual((await complete(file, 'depotId', 'proj')).values, [depot]);
  const paths = await complete(file, 'path', 'src/', { depotId: depot });
  assert.deepEqual(paths.values, ['src/lib/', 'src/main.ts']);
  const deeper = await complete(file, 'path', 'src/m', { depotId: depot });
  assert.deepEqual(deeper.values, ['src/main.ts']);
}

async function prompting(friend, world) {
  const { prompts } = await friend.client.listPrompts();
  assert.deepEqual(names(prompts), kPrompts);
  const wanting = prompts.find((prompt) => prompt.name === 'edit-files');
  assert.deepEqual(wanting.arguments.map((row) => [row.name, row.required]), [['depotId', true]]);
  const { messages } = await friend.client.getPrompt({
    name: 'edit-files',
    arguments: { depotId: world.project },
  });
  assert.equal(messages[0].role, 'user');
  assert.ok(messages[0].content.text.includes(world.project));
  await assert.rejects(friend.client.getPrompt({ name: 'edit-files' }), { code: -32602 });
}

const updates = (friend, uri) =>
  friend.heard.filter((m) => m.method === 'notifications/resources/updated' && m.params.uri === uri);

// Commits by other surfaces come through; those to a depot nobody watches do not.
async function being_told(friend, world, commits) {
  const watched = depot_uri(world.project);
  const end = await friend.watch([watched]);
  const commit_to = (depot, commit, file) => commit(depot, file, `${Math.random()}\n`);
  if (friend.bridged) {
    await until(async () => {
      await commit_to(world.project, world.commit.bind(world), 'told/first.txt');
      return updates(friend, watched).length > 0;
    });
  }
  for (const [how, commit] of Object.entries(commits)) {
    friend.heard.length = 0;
    await commit_to(world.other, commit, `${how}.txt`);
    await commit_to(world.project, commit, `told/${how}.txt`);
    await until(() => updates(friend, watched).length > 0);
    // It was committed first, so word of it would have been here.
    assert.deepEqual(updates(friend, depot_uri(world.other)), [], how);
    const { contents } = await friend.client.readResource({ uri: `${watched}/told/${how}.txt` });
    assert.equal(contents.length, 1);
  }
  await end();
  if (friend.bridged) return;
  friend.heard.length = 0;
  const [commit] = Object.values(commits);
  await commit_to(world.project, commit, 'told/late.txt');
  await friend.call('get_usage', {});
  await sleep(100);
  assert.deepEqual(updates(friend, watched), [], 'not any more');
}

async function lists_changing(friend, make_depot) {
  const changed = () =>
    friend.heard.some((m) => m.method === 'notifications/resources/list_changed');
  const end = await friend.watch([]);
  friend.heard.length = 0;
  const depot = await make_depot();
  await until(changed);
  let listed = false;
  let cursor;
  do {
    const page = await friend.client.listResources(cursor === undefined ? {} : { cursor });
    listed ||= page.resources.some((row) => row.uri === depot_uri(depot));
    cursor = page.nextCursor;
  } while (cursor !== undefined && !listed);
  assert.ok(listed, 'the new one is in the list');
  await end();
}

// A call that is given up: the client is told at once, the server stops working on it and does not
// answer it any more, and both go on.
async function cancelling(friend, world, pid) {
  const giving_up = new AbortController();
  const search = { nodeKey: world.haystack, pattern: world_of.kSlowPattern };
  const used = () => world.cpu_seconds(pid);
  const began = used();
  const answer = friend.call('fs_grep', search, { signal: giving_up.signal });
  answer.catch(() => {});
  await until(() => used() - began > 0.3);
  const { id } = friend.transport.sent.findLast((m) => m.params?.name === 'fs_grep');
  assert.ok(!friend.transport.received.some((m) => m.id === id), 'it takes long enough');
  giving_up.abort(new Error('no longer wanted'));
  await assert.rejects(answer);
  await good(friend, 'fs_stat', { nodeKey: world.project });
  if (!friend.bridged) {
    const given_up = used();
    await until(async () => {
      const before = used();
      await sleep(200);
      return used() - before < 0.05;
    });
    assert.ok(used() - given_up < 0.5, 'the server rests, long before it would have been done');
  }
  assert.ok(!friend.transport.received.some((m) => m.id === id), 'no late answer');
}

async function progress(friend, world) {
  const result = await friend.call(
    'fs_grep', { nodeKey: world.project, pattern: 'stones' }, { onprogress: () => {} });
  assert.ok(!result.isError);
  const { params } = friend.transport.sent.findLast((m) => m.params?.name === 'fs_grep');
  assert.notEqual(params._meta.progressToken, undefined);
}

// `other`: how somebody else commits, by name; `make_depot`: how somebody else makes a depot;
// `pid`: of the process that does the work.
export async function story(friend, world, { commits, make_depot, pid }) {
  await check('lists tools', () => tools(friend));
  await check('every tool answers as its outputSchema says', () => every_tool(friend, world));
  await check('a failing call says why', () => failing_calls(friend, world));
  await check('reads files, binary files, directories, depots, nodes', () => reading(friend, world));
  await check('lists templates', () => templates(friend));
  await check('pages through resources', () => paging(friend, world));
  await check('completes depots and paths', () => completing(friend, world));
  await check('lists and gets prompts', () => prompting(friend, world));
  await check('is told of the commits of others', () => being_told(friend, world, commits));
  await check('is told of a new depot', () => lists_changing(friend, make_depot));
  await check('sends a progress token', () => progress(friend, world));
  await check('cancels a call', () => cancelling(friend, world, pid));
}

// Somebody who may only read.
export async function reader_story(friend, world) {
  await check('a reader sees only tools that read', async () => {
    const { tools: offered } = await friend.client.listTools();
    assert.ok(offered.length > 5);
    assert.deepEqual(offered.filter((tool) => !tool.annotations.readOnlyHint)
      .map((tool) => tool.name).filter((name) => name !== 'create_delegate'), []);
    assert.ok(!names(offered).includes('fs_write'));
  });
  await check('a reader is refused to write, by name', async () => {
    const refused = await friend.call('fs_write', {
      nodeKey: world.project, path: 'x', content: 'x',
    });
    assert.equal(refused.isError, true);
    assert.match(text_of(refused), /^Error: UPLOAD_NOT_ALLOWED — /);
  });
  await check('a reader reads', async () => {
    assert.equal((await read_text(friend, world, 'README.md')).text, world_of.kReadme);
  });
}
