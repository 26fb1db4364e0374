// verdict.mjs DIRECTORY NAME SCENARIOS CHECKS LEFT_OUT...: reads what the suite wrote into the
// directory and says in a line whether all is well: so many scenarios ran, at least so many checks
// passed, and none did anything else but inform. Those left out have to be there, and do not count.
import { readdirSync, readFileSync } from 'node:fs';

const [directory, name, scenarios, checks, ...leftOut] = process.argv.slice(2);
const problems = [];
const ran = new Set();
let passed = 0;

for (const entry of readdirSync(directory)) {
  const scenario = entry.replace(/^server-/, '').replace(/-\d{4}-\d{2}-\d{2}T[\d-]+Z$/, '');
  ran.add(scenario);
  if (leftOut.includes(scenario)) continue;
  const found = JSON.parse(readFileSync(`${directory}/${entry}/checks.json`, 'utf8'));
  const good = found.filter((check) => check.status === 'SUCCESS').length;
  if (good === 0) problems.push(`${scenario}: no check passed`);
  passed += good;
  for (const check of found) {
    if (check.status === 'SUCCESS' || check.status === 'INFO') continue;
    const details = JSON.stringify(check.details ?? {}).slice(0, 2000);
    problems.push(
      `${scenario}: ${check.id} ${check.status}\n    ${check.errorMessage ?? check.description}` +
        `\n    ${details}`
    );
  }
}

for (const scenario of leftOut) {
  if (!ran.delete(scenario)) problems.push(`${scenario} is left out, but did not run`);
}
if (ran.size !== Number(scenarios)) {
  problems.push(`${ran.size} scenarios ran where ${scenarios} were to be expected`);
}
if (passed < Number(checks)) {
  problems.push(`${passed} checks passed where at least ${checks} were to be expected`);
}

console.log(`${name}: ${ran.size} scenarios, ${passed} checks passed`);
for (const problem of problems) console.error(`  ${problem}`);
process.exit(problems.length === 0 ? 0 : 1);
