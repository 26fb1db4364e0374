// A server of cairn on a data directory of its own, that lets people in by a provider.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export async function until(what, patience = 60_000) {
  const end = Date.now() + patience;
  for (;;) {
    const found = await what();
    if (found) return found;
    assert.ok(Date.now() < end, `it is not so after ${patience} ms: ${what}`);
    await new Promise((done) => setTimeout(done, 20));
  }
}

// Where nobody else on this machine listens, so that the provider can be told before it starts.
function own_address() {
  const { pid } = process;
  return `127.${1 + ((pid >> 16) & 127)}.${(pid >> 8) & 255}.${1 + (pid & 127)}`;
}

export class Server {
  static async start(cairn, issuer, options = [], secret = 'what only the two know') {
    const self = new Server();
    self.cairn = cairn;
    self.home = fs.mkdtempSync(path.join(os.tmpdir(), 'cairn-oidc-'));
    self.data = path.join(self.home, 'data');
    const file = path.join(self.home, 'client-secret');
    fs.writeFileSync(file, `${secret}\n`, { mode: 0o600 });
    self.log = path.join(self.home, 'log');
    self.arguments = ['serve', '--data', self.data, '--log-file', self.log, '--log-format', 'json',
      '--oidc-issuer', issuer, '--oidc-client-id', 'cairn', '--oidc-client-secret-file', file];
    process.on('exit', () => {
      self.process?.kill('SIGKILL');
      fs.rmSync(self.home, { recursive: true, force: true });
    });
    await self.serve(options);
    return self;
  }

  async serve(options) {
    const state = path.join(this.data, 'server.json');
    const listen = this.url ? new URL(this.url).host : `${own_address()}:0`;
    const env = { PATH: process.env.PATH, HOME: this.home };
    this.process = spawn(this.cairn, [...this.arguments, '--listen', listen, ...options], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env,
    });
    const running = await until(() => {
      assert.equal(this.process.exitCode, null, 'the server did not start');
      return fs.existsSync(state) && JSON.parse(fs.readFileSync(state));
    });
    this.url = running.url;
    this.token = fs.readFileSync(path.join(this.data, 'owner.token'), 'utf8').trim();
  }

  async stop() {
    const ended = once(this.process, 'exit');
    this.process.kill('SIGTERM');
    assert.equal((await ended)[0], 0);
    this.process = null;
  }

  async restart(options) {
    await this.stop();
    await this.serve(options);
  }

  async call(tool, body = {}) {
    const response = await fetch(`${this.url}/api/realm/me/tools/${tool}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const answer = await response.json();
    assert.ok(response.ok, `${tool}: ${JSON.stringify(answer)}`);
    return answer;
  }

  get callback() {
    return `${this.url}/api/oauth/callback`;
  }

  // Who a browser is, to the API; null: nobody.
  async who(browser) {
    const page = await browser.open(`${this.url}/api/me`, { headers: { accept: 'application/json' } });
    return page.status === 200 ? JSON.parse(page.text).user.name : null;
  }
}
