// pages_test.mjs CAIRN: the story of a person in a real browser, from the link that the server prints to a program that
// was let in; every page under its strict policy, for screen readers, in both themes and languages.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { about, check, done } from './report.mjs';
import { Program, Server } from './server.mjs';

const axe = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const kBrowsers = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const shots = process.env.CAIRN_SHOTS;

const server = await Server.start(process.argv[2]);
const browser = await chromium.launch({
  executablePath: kBrowsers.find((file) => fs.existsSync(file)),
  args: process.getuid() === 0 ? ['--no-sandbox'] : [],
});

// A browser of one person. What its console says is an error of the page.
async function someone(options = {}) {
  const context = await browser.newContext({ locale: 'en-GB', ...options });
  const page = await context.newPage();
  page.said = [];
  page.on('console', (message) => page.said.push(message.text()));
  page.on('pageerror', (error) => page.said.push(String(error)));
  return page;
}

// Nothing said, no violation; and a picture, if they are wanted.
async function look(page, name) {
  if (shots) {
    fs.mkdirSync(shots, { recursive: true });
    await page.screenshot({ path: path.join(shots, `${name}.png`), fullPage: true });
  }
  // Statuses of failed forms are told there, too, and are right.
  const said = page.said.filter((text) => !/status of 4\d\d/.test(text));
  assert.deepEqual(said, [], 'the console is empty');
  // As an isolated script: the page's own policy lets none in.
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send('Page.getFrameTree');
  const { executionContextId } = await session.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
  });
  const evaluate = async (expression) =>
    (
      await session.send('Runtime.evaluate', {
        expression,
        contextId: executionContextId,
        awaitPromise: true,
        returnByValue: true,
      })
    ).result.value;
  await evaluate(axe);
  const found = await evaluate(
    `axe.run(document, {resultTypes: ['violations']}).then(({violations}) =>
       JSON.stringify(violations.map(({id, nodes}) => [id, nodes.map((node) => node.html)])))`,
  );
  assert.deepEqual(JSON.parse(found), [], 'for screen readers');
  await session.detach();
}

async function cookies_of(page) {
  return (await page.context().cookies()).filter((one) => one.name.startsWith('cairn_session'));
}

const ada = await someone();

about('the link that serve prints');
await check('signs in once, and leaves no secret in the address', async () => {
  await ada.goto(server.link);
  await ada.getByRole('heading', { name: 'Welcome, owner' }).waitFor();
  assert.equal(ada.url(), `${server.url}/`);
  assert.equal(await ada.evaluate(() => location.hash), '');
  const [cookie] = await cookies_of(ada);
  assert.equal(cookie.name, `cairn_session_${new URL(server.url).port}`);
  assert.ok(cookie.httpOnly && cookie.sameSite === 'Lax');
  await look(ada, 'start-light');
});
await check('is good for nobody after that', async () => {
  const other = await someone();
  await other.goto(server.link);
  await other.getByRole('alert').waitFor();
  assert.match(await other.getByRole('alert').innerText(), /used already/);
  await look(other, 'link-over-light');
  await other.context().close();
});
await check('is not in the log', async () => {
  const ticket = new URL(server.link).hash.slice(1);
  assert.ok(!fs.readFileSync(server.log, 'utf8').includes(ticket));
});
await check('is pasted where there are no scripts', async () => {
  const link = await server.run('web');
  const page = await someone({ javaScriptEnabled: false });
  await page.goto(link);
  await page.getByText('I have a sign-in link').click();
  await page.getByLabel('Code from the link').fill(new URL(link).hash.slice(1));
  await page.getByRole('button', { name: 'Sign in with the link' }).click();
  await page.getByRole('heading', { name: 'Welcome, owner' }).waitFor();
  await page.context().close();
});
await check('asks whoever is signed in already', async () => {
  await server.run('user', 'add', 'grace');
  await ada.goto(await server.run('web', '--user', 'grace'));
  await ada.getByText('You are signed in already').waitFor();
  await look(ada, 'already-light');
  await ada.goto(server.url);
  await ada.getByRole('heading', { name: 'Welcome, owner' }).waitFor();
});

about('a password');
await check('is set, and signs in', async () => {
  await ada.goto(server.url);
  await ada.getByText('Your password').click();
  await ada.getByLabel('New password').fill('correct horse battery');
  await ada.getByRole('button', { name: 'Change the password' }).click();
  await ada.getByText('The password was changed.').waitFor();
  await look(ada, 'password-light');
  const page = await someone({ colorScheme: 'dark' });
  await page.goto(`${server.url}/sign-in`);
  await look(page, 'sign-in-dark');
  await page.getByLabel('Name').fill('owner');
  await page.getByLabel('Password').fill('wrong horse');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText('The name or the password is wrong.').waitFor();
  await look(page, 'wrong-dark');
  assert.equal(await page.getByLabel('Name').inputValue(), 'owner');
  await page.getByLabel('Password').fill('correct horse battery');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Welcome, owner' }).waitFor();
  await look(page, 'start-dark');
  await page.context().close();
});
await check('other browsers are signed out from here', async () => {
  await ada.goto(server.url);
  await ada.getByRole('button', { name: 'Sign out everywhere else' }).click();
  await ada.getByText('this browser').waitFor();
  assert.equal(await ada.getByRole('button', { name: 'Sign out everywhere else' }).count(), 0);
});

about('a program');
const claude = await Program.start(server, 'Claude Code');
await server.run('depot', 'create', 'handbook');
await server.run('depot', 'create', 'letters');
await check('is let in, and comes back with a code that works', async () => {
  await ada.goto(claude.ask());
  await ada.getByRole('heading', { name: 'Let Claude Code in?' }).waitFor();
  await look(ada, 'consent-light');
  await ada.getByLabel('Only these depots').check();
  await ada.getByLabel('handbook').check();
  await ada.getByLabel('Write').uncheck();
  await ada.getByLabel('Until when').selectOption('1 day');
  await look(ada, 'consent-narrowed-light');
  await ada.getByRole('button', { name: 'Allow' }).click();
  await ada.getByRole('heading', { name: 'Back in the program' }).waitFor();
  const { url, headers } = await claude.answer();
  assert.equal(url.searchParams.get('state'), claude.state);
  assert.equal(url.searchParams.get('iss'), server.url);
  assert.equal(headers.referer, undefined, 'nobody is told where the browser was');
  const tokens = await claude.trade(url.searchParams.get('code'));
  assert.equal(tokens.scope, 'cas:read');
});
await check('hears no, too', async () => {
  await ada.goto(claude.ask());
  await ada.getByRole('button', { name: 'Deny' }).click();
  await ada.getByRole('heading', { name: 'Back in the program' }).waitFor();
  const { url } = await claude.answer();
  assert.equal(url.searchParams.get('error'), 'access_denied');
  assert.equal(url.searchParams.get('state'), claude.state);
});
await check('finds somebody who signs in first', async () => {
  const page = await someone({ colorScheme: 'dark' });
  await page.goto(claude.ask());
  await page.getByText('A program asks for access').waitFor();
  await look(page, 'sign-in-to-grant-dark');
  await page.getByLabel('Name').fill('owner');
  await page.getByLabel('Password').fill('correct horse battery');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Let Claude Code in?' }).waitFor();
  await look(page, 'consent-dark');
  await page.getByLabel('Only one folder').check();
  await page.getByLabel('Folder', { exact: true }).fill('docs');
  await look(page, 'consent-folder-dark');
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByRole('heading', { name: 'Back in the program' }).waitFor();
  await claude.answer();
  await page.context().close();
});
await check('that nobody knows is not redirected to', async () => {
  await ada.goto(`${server.url}/oauth/authorize?client_id=nobody&redirect_uri=https://evil.example`);
  await ada.getByRole('heading', { name: 'This did not work' }).waitFor();
  await look(ada, 'error-light');
});
await check('on another port frames no page and posts no form', async () => {
  const evil = await Program.start(server, 'evil');
  const page = await someone();
  await page.context().addCookies(await ada.context().cookies());
  await page.goto(evil.redirect);
  const shown = await page.evaluate(async (url) => {
    const frame = document.createElement('iframe');
    frame.src = url;
    document.body.append(frame);
    await new Promise((loaded) => (frame.onload = loaded));
    try {
      return frame.contentDocument !== null && frame.contentDocument.body.innerText;
    } catch {
      return '';
    }
  }, server.url);
  assert.ok(!shown, 'no frame');
  const answered = page.waitForResponse((response) => response.url() === `${server.url}/sign-out`);
  await page.evaluate((url) => {
    const form = document.createElement('form');
    form.method = 'post';
    form.action = `${url}/sign-out`;
    document.body.append(form);
    form.submit();
  }, server.url);
  assert.equal((await answered).status(), 403);
  evil.stop();
  await page.context().close();
});

about('a device');
await check('is let in by its code', async () => {
  const asked = await (
    await fetch(claude.metadata.device_authorization_endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ client_id: claude.id, scope: 'cas:read' }),
    })
  ).json();
  await ada.goto(asked.verification_uri);
  await look(ada, 'device-light');
  await ada.getByLabel('Code').fill('BBBB-BBBB');
  await ada.getByRole('button', { name: 'Go on' }).click();
  await ada.getByText('There is no such code').waitFor();
  await ada.getByLabel('Code').fill(asked.user_code.toLowerCase());
  await ada.getByRole('button', { name: 'Go on' }).click();
  await ada.getByText('Go on only if your own device shows this code').waitFor();
  await look(ada, 'device-consent-light');
  await ada.getByRole('button', { name: 'Allow' }).click();
  await ada.getByText('Your device goes on by itself').waitFor();
  await look(ada, 'device-done-light');
});

about('everybody');
await check('reads it in Chinese, on a small screen and from far away', async () => {
  const page = await someone({
    locale: 'zh-CN',
    colorScheme: 'dark',
    viewport: { width: 360, height: 740 },
  });
  await page.context().addCookies(await ada.context().cookies());
  await page.goto(claude.ask());
  await page.getByRole('heading', { name: '允许 Claude Code 访问吗？' }).waitFor();
  assert.equal(await page.evaluate(() => document.documentElement.lang), 'zh-CN');
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  assert.ok(!wide, 'nothing is cut off');
  await look(page, 'consent-chinese-phone-dark');
  await page.goto(server.url);
  await look(page, 'start-chinese-phone-dark');
  await page.context().close();
});
await check('gets along with keys alone', async () => {
  await ada.goto(claude.ask());
  await ada.getByLabel('Until when').focus();
  await ada.keyboard.press('Tab');
  assert.equal(await ada.evaluate(() => document.activeElement.value), 'allow');
  await ada.keyboard.press('Enter');
  await ada.getByRole('heading', { name: 'Back in the program' }).waitFor();
  await claude.answer();
});
await check('signs out', async () => {
  await ada.goto(server.url);
  await ada.getByRole('button', { name: 'Sign out', exact: true }).click();
  await ada.getByText('You are signed out.').waitFor();
  await look(ada, 'signed-out-light');
  assert.deepEqual(await cookies_of(ada), []);
  await ada.goto(server.url);
  await ada.getByRole('heading', { name: 'Sign in to Cairn' }).waitFor();
  await look(ada, 'sign-in-light');
});

claude.stop();
await browser.close();
await server.stop();
done();
