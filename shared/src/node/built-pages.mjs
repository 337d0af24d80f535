// Cache of built pages for starts from a clone. An entry is valid until one of its sources changes.
import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeDurably } from './durable-file.ts';
import { bundleFolder, stampOf } from './launch/bundle.mjs';

const pagesFolder = join(bundleFolder, '..', 'pages');
/** shared/package.json maps #primitives. */
const builders = ['shared/src/node/build-script.mjs', 'package-lock.json', 'shared/package.json'];
/** File systems date changes by ticks of a few milliseconds. */
const tickMs = 100;

async function readKept(file) {
  try {
    const { stamps, built } = JSON.parse(await readFile(file, 'utf8'));
    return Object.entries(stamps).every(([path, stamp]) => stampOf(path) === stamp) ? built : undefined;
  } catch {
    return undefined; // none, or cut off
  }
}

async function keep(file, kept) {
  await mkdir(dirname(file), { recursive: true });
  await writeDurably(file, JSON.stringify(kept));
}

/** `make` resolves to what it has built, and to the sources of that relative to the repository. */
export async function keepBuilt(entries, make, folder = pagesFolder) {
  const name = createHash('sha256').update(entries.join('\n')).digest('hex').slice(0, 16);
  const file = join(folder, `${name}.json`);
  const kept = await readKept(file);
  if (kept !== undefined) return kept;
  const startedAt = Date.now();
  const { built, inputs } = await make();
  const stamps = Object.fromEntries([...builders, ...inputs].map(path => [path, stampOf(path)]));
  const isSettled = Object.values(stamps).every(stamp => Number.parseFloat(stamp) < startedAt - tickMs);
  // A folder that cannot be written makes starts slower, and nothing else.
  if (isSettled) await keep(file, { stamps, built }).catch(() => undefined);
  return built;
}
