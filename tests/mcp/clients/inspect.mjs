// The MCP Inspector's command line, as a function.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { kPatience } from './report.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const program = path.join(
  here, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js');

// Its exit code, what it printed and what it complained about.
export function inspect(world, target, args) {
  const all = [program, '--cli', ...target, '--format', 'json', '--stored-auth-only', ...args];
  const env = { PATH: process.env.PATH, HOME: world.home };
  return new Promise((resolve) => {
    execFile(process.execPath, all, { env, timeout: kPatience }, (error, stdout, stderr) =>
      resolve({ code: error ? error.code : 0, stdout, stderr }));
  });
}

export async function answer(world, target, args) {
  const { code, stdout, stderr } = await inspect(world, target, args);
  assert.equal(code, 0, `${args.join(' ')}: ${stderr}${stdout}`);
  const printed = JSON.parse(stdout);
  return printed.result ?? printed;
}
