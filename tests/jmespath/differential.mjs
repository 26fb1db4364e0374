// node differential.mjs DRIVER MODULES [SEED [COUNT]]: random expressions on a few documents, each
// answered by Cairn and by npm's jmespath with its known errors corrected. Every answer has to be
// the same, down to the order of members; where one fails, so has the other.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { corrected, corrections } from "./corrections.mjs";
import { Expressions, documents, randomness } from "./expressions.mjs";

const [driver, modules] = process.argv.slice(2);
const seed = Number(process.argv[4] ?? Date.now() % 1_000_000);
const count = Number(process.argv[5] ?? 20_000);

const theirs = {};
const source = readFileSync(`${modules}/jmespath/jmespath.js`, "utf8");
new Function("exports", corrected(source))(theirs);

// The kind of an error, as the driver names it.
function kind(error) {
  return /^TypeError/.test(error.message) ? "invalid-type" : "syntax";
}

function answer({ expression, given }) {
  try {
    return { result: theirs.search(given, expression) };
  } catch (error) {
    return { error: kind(error), message: error.message };
  }
}

const random = randomness(seed);
const expressions = new Expressions(random);
const cases = Array.from({ length: count }, () => ({
  expression: expressions.make(),
  given: random.pick(documents),
}));
const run = spawnSync(driver, { input: cases.map((one) => `${JSON.stringify(one)}\n`).join(""),
  maxBuffer: 1 << 30 });
if (run.status !== 0) throw new Error(`the driver ended with ${run.status ?? run.signal}`);
const lines = run.stdout.toString().trimEnd().split("\n");
if (lines.length !== count) throw new Error(`${lines.length} answers to ${count} expressions`);

const seen = { values: 0, nulls: 0, errors: 0 };
let different = 0;
cases.forEach((one, i) => {
  const ours = JSON.parse(lines[i]);
  const its = answer(one);
  const same = "error" in its ? ours.error === its.error
    : JSON.stringify(ours.result) === JSON.stringify(its.result);
  seen["error" in ours ? "errors" : ours.result === null ? "nulls" : "values"] += 1;
  if (same) return;
  different += 1;
  if (different > 20) return;
  console.log(`${one.expression}\n  of    ${JSON.stringify(one.given)}\n  cairn ${lines[i]}\n` +
    `  npm   ${JSON.stringify(its)}`);
});
console.log(`seed ${seed}: ${count} expressions, ${different} answered differently; of Cairn's ` +
  `answers ${seen.values} are values, ${seen.nulls} null, ${seen.errors} errors; ` +
  `${corrections.length} corrections to npm's jmespath`);
// Otherwise too little was compared.
const enough = seen.values > count / 5;
if (!enough) console.log("too few of the answers are values");
process.exit(different === 0 && enough ? 0 : 1);
