// node jmespath.mjs MODULES JOBS: what bench/json_jmespath.cc measures, with npm's jmespath.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const [modules, jobs] = process.argv.slice(2);
const jmespath = createRequire(`${modules}/`)("jmespath");
const ROUNDS = 5;
const ROUND_NS = 200e6;

// CPU time, of all its threads: others may be busy on the machine.
function used() {
  const { user, system } = process.cpuUsage();
  return (user + system) * 1e3;
}

function best(call) {
  let times = 1;
  let least = Infinity;
  // What is run often enough is optimised: not counted until then.
  for (const end = process.hrtime.bigint() + 300_000_000n; process.hrtime.bigint() < end;) call();
  for (let round = 0; round < ROUNDS;) {
    const began = used();
    for (let i = 0; i < times; ++i) call();
    const took = used() - began;
    if (took < ROUND_NS / 2) {
      times *= 2;
      continue;
    }
    least = Math.min(least, took / times);
    round += 1;
  }
  return least;
}

const documents = new Map();
for (const line of readFileSync(jobs, "utf8").trim().split("\n")) {
  const { expression, file, parse } = JSON.parse(line);
  if (!documents.has(file)) documents.set(file, JSON.parse(readFileSync(file, "utf8")));
  const document = documents.get(file);
  let kept; // so that no call is left out
  const ns = best(() => {
    kept = parse ? jmespath.compile(expression) : jmespath.search(document, expression);
  });
  const text_ns = parse ? ns : best(() => {
    kept = JSON.stringify(jmespath.search(document, expression));
  });
  console.log(JSON.stringify({ ns, text_ns, kept: typeof kept }));
}
