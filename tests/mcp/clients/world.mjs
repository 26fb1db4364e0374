// A data directory of its own for a test, with what the clients ask about:
//
//   project   README.md, src/main.ts, src/lib/util.ts, logo.png (binary)
//   other     one file; nobody watches it
//   haystack  text that takes long to search with `kSlowPattern`
//   depot-NNN as many as need a second page
//
// `serve` and `stop` start and end `cairn serve` on it: at a free port, or at the same address each
// time, if it was given one.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { until } from './report.mjs';

const run = promisify(execFile);

export const kReadme = '# Project\n\nStones on stones.\n';
export const kMain = "import { pile } from './lib/util';\n\npile(3); // stones\n";
export const kUtil = 'export function pile(stones: number) {\n  return stones;\n}\n';
export const kLogo = Buffer.from('89504e470d0a1a0a00ff00fe', 'hex');
export const kManyDepots = 105;
// Has to remember so many places of a haystack at once that searching takes seconds.
export const kSlowPattern = '(a.{50}){16}c';

function write_tree(directory, files) {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(directory, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, content);
  }
}

// Many small files, each line a `c`, then random `a` and `b`.
function haystack_files() {
  const files = {};
  for (let file = 0; file < 600; ++file) {
    const bytes = randomBytes(8_000);
    for (let i = 0; i < bytes.length; ++i) {
      if (i % 2000 < 2) bytes[i] = i % 2000 === 0 ? 10 : 99;
      else bytes[i] = 97 + (bytes[i] & 1);
    }
    files[`${file % 20}/${file}.txt`] = bytes;
  }
  return files;
}

// At a loopback address that no other process on this machine has: nobody takes the port meanwhile.
export function own_address() {
  const { pid } = process;
  return `127.${1 + ((pid >> 16) & 127)}.${(pid >> 8) & 255}.${pid & 255}:8765`;
}

export class World {
  constructor(cairn, address = '127.0.0.1:0') {
    this.cairn_file = cairn;
    this.home = fs.mkdtempSync(path.join(os.tmpdir(), 'cairn-clients-'));
    this.data = path.join(this.home, 'data');
    this.server = null;
    this.address = address;
    // Whatever happens, nothing of it stays.
    process.on('exit', () => {
      this.server?.kill('SIGKILL');
      fs.rmSync(this.home, { recursive: true, force: true });
    });
    for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(1));
  }

  static async make(...options) {
    const world = new World(...options);
    await world.serve();
    await world.fill();
    return world;
  }

  async serve() {
    const state = path.join(this.data, 'server.json');
    fs.rmSync(state, { force: true });
    this.server = spawn(
      this.cairn_file,
      ['serve', '--data', this.data, '--listen', this.address, '--log-format', 'none'],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    );
    const running = await until(() => {
      assert.equal(this.server.exitCode, null, 'the server did not start');
      try {
        return JSON.parse(fs.readFileSync(state));
      } catch {
        return null;
      }
    });
    this.url = running.url;
    this.mcp = `${this.url}/mcp`;
    this.token = fs.readFileSync(path.join(this.data, 'owner.token'), 'utf8').trim();
  }

  async stop() {
    const server = this.server;
    this.server = null;
    const ended = once(server, 'exit');
    server.kill('SIGTERM');
    const [code] = await ended;
    assert.equal(code, 0, 'the server ended as it should');
  }

  async fill() {
    const project = path.join(this.home, 'project');
    write_tree(project, {
      'README.md': kReadme,
      'src/main.ts': kMain,
      'src/lib/util.ts': kUtil,
      'logo.png': kLogo,
    });
    const haystack = path.join(this.home, 'haystack');
    write_tree(haystack, haystack_files());
    await this.cairn('import', project, 'project');
    await this.cairn('import', haystack, 'haystack');
    this.other = (await this.call('create_depot', { title: 'other' })).depotId;
    await this.commit(this.other, 'a.txt', 'a\n');
    for (let i = 0; i < kManyDepots; ++i) {
      await this.call('create_depot', { title: `depot-${String(i).padStart(3, '0')}` });
    }
    const { depots } = await this.call('list_depots', { limit: 1000 });
    const id_of = (title) => depots.find((depot) => depot.title === title).depotId;
    this.project = id_of('project');
    this.haystack = id_of('haystack');
    this.depot_count = depots.length;
    this.reader = await this.delegate({ name: 'reader' });
    this.scoped = await this.delegate({ name: 'scoped', scope: [`${this.project}/src`] });
  }

  async delegate(rights) {
    return (await this.call('create_delegate', rights)).accessToken;
  }

  // A tool over REST.
  async call(tool, args, token = this.token) {
    const response = await fetch(`${this.url}/api/realm/me/tools/${tool}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(args),
    });
    const body = await response.json();
    assert.ok(response.ok, `${tool}: ${JSON.stringify(body)}`);
    return body;
  }

  // The command line on the data directory; what it printed.
  async cairn(...args) {
    const done = await run(this.cairn_file, [...args, '--data', this.data]);
    return done.stdout;
  }

  // Over REST, one file.
  async commit(depot, file, content) {
    const { newRoot } = await this.call('fs_write', { nodeKey: depot, path: file, content });
    return this.call('depot_commit', { depotId: depot, root: newRoot });
  }

  // On the command line, one file.
  async put(depot, file, content) {
    const local = path.join(this.home, 'put');
    fs.writeFileSync(local, content);
    await this.cairn('put', local, `${depot}:${file}`);
  }

  // The processor time the server used up to now, in seconds.
  cpu_seconds(pid = this.server.pid) {
    const fields = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  }

  // How to start `cairn mcp` on the data directory.
  stdio(args = [], env = {}) {
    return {
      command: this.cairn_file,
      args: ['mcp', '--data', this.data, ...args],
      env: { PATH: process.env.PATH, HOME: this.home, ...env },
    };
  }
}

export const id_in_uri = (depot) => depot.replace(/^dpt_/, '');
export const depot_uri = (depot) => `cas://depot:${id_in_uri(depot)}`;
