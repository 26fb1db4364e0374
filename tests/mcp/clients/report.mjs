// What was checked, one line each: `ok - …` or `not ok - …` with the reason. A check that takes too
// long has failed. The process ends with `done()`.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

// When to give up on what will not come any more, however busy the machine is.
export const kPatience = 120_000;

let passed = 0;
let failed = 0;
let heading = '';

// What the checks that follow are about.
export function about(text) {
  heading = text;
}

function within(promise, ms) {
  const late = new AbortController();
  const timeout = sleep(ms, undefined, { signal: late.signal }).then(() => {
    throw new Error(`not done after ${ms} ms`);
  });
  timeout.catch(() => {});
  return Promise.race([promise, timeout]).finally(() => late.abort());
}

// Runs it; whether it passed.
export async function check(name, body) {
  const line = heading === '' ? name : `${heading}: ${name}`;
  try {
    await within(Promise.resolve().then(body), kPatience);
    ++passed;
    console.log(`ok - ${line}`);
    return true;
  } catch (error) {
    ++failed;
    const reason = error?.stack ?? String(error);
    console.log(`not ok - ${line}\n    ${reason.split('\n').slice(0, 14).join('\n    ')}`);
    return false;
  }
}

// Waits until it gives something.
export async function until(probe) {
  const end = Date.now() + kPatience;
  for (;;) {
    const found = await probe();
    if (found) return found;
    assert.ok(Date.now() < end, `still waiting after ${kPatience} ms for: ${probe}`);
    await sleep(5);
  }
}

export function done() {
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed > 0 || passed === 0 ? 1 : 0);
}
