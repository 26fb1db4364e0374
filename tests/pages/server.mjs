// A server of cairn on a data directory of its own, and a client of OAuth that waits for its answer on loopback.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { until } from './report.mjs';

export class Server {
  static async start(cairn) {
    const self = new Server();
    self.cairn = cairn;
    self.home = fs.mkdtempSync(path.join(os.tmpdir(), 'cairn-pages-'));
    self.data = path.join(self.home, 'data');
    process.on('exit', () => {
      self.process?.kill('SIGKILL');
      fs.rmSync(self.home, { recursive: true, force: true });
    });
    self.log = path.join(self.home, 'log');
    self.env = { PATH: process.env.PATH, HOME: self.home, CAIRN_DATA: self.data };
    self.process = spawn(
      cairn,
      ['serve', '--data', self.data, '--listen', '127.0.0.1:0', '--log-file', self.log],
      { stdio: ['ignore', 'pipe', 'inherit'], env: self.env },
    );
    self.said = '';
    self.process.stdout.on('data', (text) => (self.said += text));
    await until(() => {
      assert.equal(self.process.exitCode, null, 'the server did not start');
      return fs.existsSync(path.join(self.data, 'server.json')) && self.said.includes('/sign-in#');
    });
    self.url = JSON.parse(fs.readFileSync(path.join(self.data, 'server.json'))).url;
    return self;
  }

  // The link that it printed when it started.
  get link() {
    return /(http\S+\/sign-in#\w+)/.exec(this.said)[1];
  }

  async run(...words) {
    const child = spawn(this.cairn, words, { stdio: ['ignore', 'pipe', 'inherit'], env: this.env });
    let out = '';
    child.stdout.on('data', (text) => (out += text));
    const [code] = await once(child, 'close');
    assert.equal(code, 0, `cairn ${words.join(' ')}`);
    return out.trim();
  }

  async stop() {
    const ended = once(this.process, 'exit');
    this.process.kill('SIGTERM');
    assert.equal((await ended)[0], 0);
  }
}

const base64url = (bytes) => bytes.toString('base64url');

export class Program {
  static async start(server, name) {
    const self = new Program();
    self.origin = server.url;
    self.answers = [];
    self.listener = http.createServer((request, response) => {
      self.answers.push({ url: new URL(request.url, self.redirect), headers: request.headers });
      response.setHeader('content-type', 'text/html');
      response.end('<!doctype html><title>Back</title><h1>Back in the program</h1>');
    });
    self.listener.listen(0, '127.0.0.1');
    await once(self.listener, 'listening');
    self.redirect = `http://127.0.0.1:${self.listener.address().port}/callback`;
    const metadata = await (await fetch(`${self.origin}/.well-known/oauth-authorization-server`)).json();
    self.metadata = metadata;
    const registered = await fetch(metadata.registration_endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: name, redirect_uris: [self.redirect] }),
    });
    assert.equal(registered.status, 201, await registered.clone().text());
    self.id = (await registered.json()).client_id;
    return self;
  }

  ask() {
    this.verifier = base64url(randomBytes(32));
    this.state = base64url(randomBytes(12));
    const url = new URL(this.metadata.authorization_endpoint);
    url.search = new URLSearchParams({
      client_id: this.id,
      redirect_uri: this.redirect,
      response_type: 'code',
      code_challenge: base64url(createHash('sha256').update(this.verifier).digest()),
      code_challenge_method: 'S256',
      scope: 'cas:read cas:write',
      state: this.state,
      resource: `${this.origin}/mcp`,
    });
    return url.href;
  }

  async answer() {
    return until(() => this.answers.shift());
  }

  async trade(code) {
    const response = await fetch(this.metadata.token_endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code,
        client_id: this.id,
        redirect_uri: this.redirect,
        code_verifier: this.verifier,
      }),
    });
    const tokens = await response.json();
    assert.equal(response.status, 200, JSON.stringify(tokens));
    return tokens;
  }

  stop() {
    this.listener.close();
    this.listener.closeAllConnections();
  }
}
