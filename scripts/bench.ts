// `npm run bench [name…]`: runs the files of test/bench, all or those that are named, one after the other so that none
// disturbs another. They judge nothing: what the figures mean stands in test/bench/README.md.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../test/bench/', import.meta.url));
const known = readdirSync(folder)
  .filter(name => name.endsWith('.ts'))
  .map(name => name.slice(0, -'.ts'.length))
  .sort();

const wanted = process.argv.slice(2);
const strange = wanted.filter(name => !known.includes(name));
if (strange.length > 0) {
  console.error(`there is no bench "${strange.join('", "')}"; there are: ${known.join(', ')}`);
  process.exit(64);
}
for (const name of wanted.length === 0 ? known : wanted) {
  console.log(`\n== ${name}\n`);
  const { status } = spawnSync(process.execPath, [`${folder}${name}.ts`], { stdio: 'inherit' });
  if (status !== 0) {
    console.error(`${name} broke off`);
    process.exitCode = 1;
  }
}
