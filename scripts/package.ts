// `npm run package [-- verify server cli --out DIR]`: each program as one executable file, for this kind of machine:
// the repository's own Node, the bundled sources, and the files that they read.
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { findCommit } from './package/build-commit.ts';
import { makeExecutable, suffix } from './package/executable.ts';
import { programs } from './package/programs.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values, positionals: requested } = parseArgs({
  options: { out: { type: 'string', default: join(root, 'dist') } },
  allowPositionals: true,
});
const { out } = values;

const chosen = programs.filter(({ word }) => requested.length === 0 || requested.includes(word));
if (chosen.length === 0) throw new Error(`choose from ${programs.map(({ word }) => word).join(', ')}`);
mkdirSync(out, { recursive: true });
const commit = findCommit();
for (const program of chosen) {
  await makeExecutable(program, out, commit);
  const path = join(out, program.name + suffix);
  console.log(`${path} (${Math.round(statSync(path).size / 2 ** 20)} MiB)`);
}
