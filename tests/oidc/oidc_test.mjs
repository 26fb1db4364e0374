// Signing in by a foreign provider, from the browser's first click to its cookie: with a real
// provider, and with one that cheats. node oidc_test.mjs CAIRN
import assert from 'node:assert/strict';
import fs from 'node:fs';
import test, { after } from 'node:test';
import { Browser, words } from './browser.mjs';
import { HostileProvider } from './hostile_provider.mjs';
import { RealProvider, sign_in_there } from './real_provider.mjs';
import { Server } from './server.mjs';

const cairn = process.argv[2];
const kOpen = ['--oidc-new-users', 'authorized'];

const login = (server) => `${server.url}/api/oauth/login`;

test('a real provider', async (t) => {
  const provider = await RealProvider.start();
  const server = await Server.start(cairn, provider.issuer, kOpen);
  after(() => provider.stop());
  const sign_in = async (browser, name) => {
    const page = await browser.open(login(server));
    assert.equal(page.status, 302, words(page));
    const back = await sign_in_there(browser, page, name, server.callback);
    return browser.open(back);
  };

  for (const algorithm of ['RS256', 'PS256', 'ES256', 'EdDSA']) {
    await t.test(`signs in with ${algorithm}`, async () => {
      provider.use(algorithm, server.callback);
      // Of the second the keys are new; after that only somebody who waits a minute would see it.
      if (algorithm === 'ES256' || algorithm === 'EdDSA') await server.restart(kOpen);
      const browser = new Browser();
      const page = await sign_in(browser, 'ada');
      assert.equal(page.status, 200, words(page));
      assert.equal(await server.who(browser), 'ada@example.com');
    });
  }

  await t.test('is the same user each time, and another for another person', async () => {
    const other = new Browser();
    await sign_in(other, 'bob');
    assert.equal(await server.who(other), 'bob@example.com');
    const { users } = await server.call('list_users', { limit: 100 });
    assert.deepEqual(users.map(({ name }) => name).sort(), ['ada@example.com', 'bob@example.com', 'owner']);
    for (const { name, role } of users) {
      assert.equal(role, name === 'owner' ? 'admin' : 'authorized');
    }
  });

  await t.test('a client that asked for access is where the person comes back to', async () => {
    const registered = await (await fetch(`${server.url}/api/auth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: 'An app', redirect_uris: ['http://127.0.0.1/callback'] }),
    })).json();
    const asked = new URLSearchParams({
      response_type: 'code',
      client_id: registered.client_id,
      redirect_uri: 'http://127.0.0.1:7777/callback',
      code_challenge: 'c'.repeat(43),
      code_challenge_method: 'S256',
    });
    const browser = new Browser();
    let page = await browser.follow(await browser.open(`${server.url}/oauth/authorize?${asked}`));
    const button = /href="([^"]*\/api\/oauth\/login[^"]*)"/.exec(page.text);
    assert.ok(button, words(page));
    page = await browser.open(new URL(button[1].replace(/&amp;/g, '&'), page.url).href);
    const back = await sign_in_there(browser, page, 'ada', server.callback);
    page = await browser.open(back);
    const on = /http-equiv="refresh" content="[^"]*url=([^"]*)"/i.exec(page.text);
    assert.ok(on, page.text);
    page = await browser.open(new URL(on[1].replace(/&amp;/g, '&'), page.url).href);
    assert.equal(page.status, 200);
    assert.match(words(page), /An app/);
    assert.match(words(page), /ada@example\.com/);
  });

  await t.test('a person who says no there is not signed in, and told so', async () => {
    const browser = new Browser();
    let page = await browser.follow(await browser.open(login(server)));
    const abort = /href="([^"]+\/abort)"/.exec(page.text)[1];
    page = await browser.open(new URL(abort, page.url).href);
    page = await browser.follow(page);
    assert.equal(page.status, 403);
    assert.match(words(page), /the provider did not sign you in: you or it said no \(access_denied\)/);
    assert.equal(await server.who(browser), null);
  });

  await t.test('who may not come any more is not signed in', async () => {
    await server.call('update_user', { userId: 'ada@example.com', role: 'unauthorized' });
    const page = await sign_in(new Browser(), 'ada');
    assert.equal(page.status, 403);
    assert.match(words(page), /an admin of this server has yet to let you in/);
  });

  await t.test('the rules for people hold, by domain and by group', async () => {
    await server.restart([...kOpen, '--oidc-domain', 'other.example']);
    assert.match(words(await sign_in(new Browser(), 'bob')), /is not of a domain whose people may/);
    await server.restart([...kOpen, '--oidc-group', 'directors']);
    assert.match(words(await sign_in(new Browser(), 'bob')), /is in none of the groups whose people/);
    await server.restart([...kOpen, '--oidc-group', 'staff', '--oidc-domain', 'example.com']);
    const browser = new Browser();
    await sign_in(browser, 'bob');
    assert.equal(await server.who(browser), 'bob@example.com');
    await server.restart([]);
    assert.match(words(await sign_in(new Browser(), 'eve')), /and new people are not let in/);
    await sign_in(browser, 'bob');
    assert.equal(await server.who(browser), 'bob@example.com', 'who is known is let in');
    await server.restart(['--oidc-new-users', 'unauthorized']);
    assert.match(words(await sign_in(new Browser(), 'eve')), /cairn user role eve@example\.com authorized/);
    await server.call('update_user', { userId: 'eve@example.com', role: 'authorized' });
    await sign_in(browser, 'eve');
  });

  await t.test('nothing of it stands in the log', async () => {
    const log = fs.readFileSync(server.log, 'utf8');
    assert.match(log, /\/api\/oauth\/callback/);
    assert.doesNotMatch(log, /code=|state=|what only the two know|example\.com/);
  });
  await server.stop();
});

test('a provider that cheats', async (t) => {
  const provider = await HostileProvider.start();
  const server = await Server.start(cairn, provider.issuer, kOpen);
  after(() => provider.stop());

  // A browser with an answer in its hands.
  const with_answer = async (browser = new Browser()) => {
    const page = await browser.open(login(server));
    assert.equal(page.status, 302, words(page));
    return { browser, back: provider.answer(page.to) };
  };
  const is_refused = async ({ browser, back }, sentence, status = 401) => {
    const page = await browser.open(back);
    assert.match(words(page), sentence);
    assert.equal(page.status, status, words(page));
    assert.equal(await server.who(browser), null, 'it is not signed in');
  };

  await t.test('is believed as long as it is honest', async () => {
    const { browser, back } = await with_answer();
    await browser.open(back);
    assert.equal(await server.who(browser), 'mallory@example.com');
  });

  const rows = [
    ['wrong nonce', (c) => (c.nonce = 'another'), null, /is the answer to another sign-in \(nonce\)/],
    ['no nonce', (c) => delete c.nonce, null, /is the answer to another sign-in \(nonce\)/],
    ['wrong audience', (c) => (c.aud = 'another'), null, /was made for another program \(aud\)/],
    ['several audiences', (c) => (c.aud = ['cairn', 'b']), null, /handed to another program \(azp\)/],
    ['wrong issuer', (c) => (c.iss += '/'), null, /is of another provider \(iss/],
    ['expired', (c) => (c.exp = c.iat - 60), null, /has expired; sign in again/],
    ['of the future', (c) => (c.iat += 120), null, /was issued in the future/],
    ['no subject', (c) => delete c.sub, null, /does not say who signed in/],
    ['unsigned', null, (h, c) => provider.unsigned(h, c), /is not signed \(alg none\)/],
    ['HS256 with the public key', null, (h, c) => provider.hs256(h, c), /shared secret \(HS256\)/],
    ['changed after signing', null, (h, c) => {
      const [head, , signature] = provider.rs256(h, c).split('.');
      return `${head}.${Buffer.from(JSON.stringify({ ...c, sub: 'boss' })).toString('base64url')}.${signature}`;
    }, /signature of the ID token is not by the provider's key/],
    ['access token for an ID token', (c, h) => (h.typ = 'at+jwt'), null, /a token of type 'at\+jwt'/],
    ['critical extension', (c, h) => (h.crit = ['b64']), null, /wants extensions \('crit'\)/],
  ];
  for (const [what, bend, forge, sentence] of rows) {
    await t.test(`is refused: ${what}`, async () => {
      provider.bend = bend ?? (() => {});
      provider.forge = forge;
      await is_refused(await with_answer(), sentence);
      provider.bend = () => {};
      provider.forge = null;
    });
  }

  await t.test('is refused: a state that was used', async () => {
    const { browser, back } = await with_answer();
    await browser.open(back);
    const before = provider.asked.token;
    const page = await browser.open(back);
    assert.equal(page.status, 400);
    assert.match(words(page), /was finished already, and an answer counts once/);
    assert.equal(provider.asked.token, before, 'the code is not sent twice');
  });

  await t.test('is refused: a state of another browser, or of none', async () => {
    const { back } = await with_answer();
    await is_refused({ browser: new Browser(), back }, /was begun by another browser/, 400);
    const { browser } = await with_answer();
    await is_refused({ browser, back }, /was begun by another browser/, 400);
    await is_refused({ browser, back: `${server.callback}?code=x&state=x` }, /is not known here/, 400);
    await is_refused({ browser, back: `${server.callback}?code=x` }, /which sign-in it is of \(state\)/, 400);
  });

  await t.test('is refused: the answer to somebody else, slipped in', async () => {
    const victim = await with_answer();
    const attacker = await with_answer();
    const back = new URL(victim.back);
    back.searchParams.set('code', new URL(attacker.back).searchParams.get('code'));
    await is_refused({ browser: victim.browser, back: back.href }, /\(nonce\)/);
  });

  await t.test('is refused: an answer of another issuer', async () => {
    const { browser, back } = await with_answer();
    await is_refused({ browser, back: `${back}&iss=https%3A%2F%2Fevil.example` }, /is of another provider/);
  });

  await t.test('is refused: an error, without the words of the provider', async () => {
    provider.token_answer = { error: 'invalid_grant', error_description: '<b>call this number</b>' };
    const { browser, back } = await with_answer();
    const page = await browser.open(back);
    assert.match(words(page), /did not give an ID token for the code \(status 400, invalid_grant\)/);
    assert.doesNotMatch(page.text, /call this/);
    provider.token_answer = null;
  });

  await t.test('keys may change, and names of keys that are made up cause no traffic', async () => {
    provider.rotate();
    const { browser, back } = await with_answer();
    await browser.open(back);
    assert.equal(await server.who(browser), 'mallory@example.com');
    const before = provider.asked.keys;
    provider.bend = (claims, header) => (header.kid = 'made up');
    for (let i = 0; i < 3; ++i) {
      await is_refused(await with_answer(), /signed with a key that the provider does not publish/);
    }
    provider.bend = () => {};
    assert.ok(provider.asked.keys <= before + 1, `${provider.asked.keys - before} times in a moment`);
    assert.equal(provider.asked.document, 1);
  });

  await t.test('a provider that is gone is said to be', async () => {
    provider.stop();
    const browser = new Browser();
    const page = await browser.open(login(server));
    // The document is known; where it leads is not asked by the server.
    assert.equal(page.status, 302);
    const back = `${server.callback}?code=x&state=${new URL(page.to).searchParams.get('state')}`;
    await is_refused({ browser, back }, /does not answer; try again in a while/, 503);
  });
  await server.stop();
});
