// `npm run package [-- verify server --out DIR]`: each program as one executable file, for this kind of machine. It holds
// the repository's own Node, the sources in one bundle, and what the program would otherwise read from the clone.
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import sea from '@yao-pkg/pkg/lib-es5/sea.js';
import { build } from 'esbuild';
import { type Program, programs } from './package/programs.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values, positionals: wanted } = parseArgs({
  options: { out: { type: 'string', default: join(root, 'dist') } },
  allowPositionals: true,
});
const { out } = values;
const suffix = process.platform === 'win32' ? '.exe' : '';
const platforms: Readonly<Record<string, 'linux' | 'macos' | 'win'>> = {
  linux: 'linux',
  darwin: 'macos',
  win32: 'win',
};

/** A single executable starts from CommonJS. */
async function bundle({ entry, plugins }: Program): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir: root, loader: 'ts' },
    bundle: true,
    platform: 'node',
    target: 'node26',
    format: 'cjs',
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'inline',
    write: false,
    plugins: await plugins(),
    logLevel: 'error',
  });
  return outputFiles[0]?.text ?? '';
}

async function make(program: Program, folder: string): Promise<void> {
  const main = join(folder, `${program.name}.cjs`);
  writeFileSync(main, await bundle(program));
  const platform = platforms[process.platform];
  if (platform === undefined) throw new Error(`there is no packaging for ${process.platform}`);
  const output = join(out, program.name + suffix);
  await sea.default(main, {
    useLocalNode: true,
    targets: [{ nodeRange: 'node26', platform, arch: process.arch, output }],
    seaConfig: {
      disableExperimentalSEAWarning: true,
      useSnapshot: false,
      useCodeCache: true,
      assets: program.assets(),
    },
  });
  console.log(`${output} (${Math.round(statSync(output).size / 2 ** 20)} MiB)`);
}

const chosen = programs.filter(({ name }) => wanted.length === 0 || wanted.some(word => name.endsWith(`-${word}`)));
if (chosen.length === 0) throw new Error(`choose from ${programs.map(({ name }) => name).join(', ')}`);
mkdirSync(out, { recursive: true });
const folder = mkdtempSync(join(tmpdir(), 'recordproof-package-'));
try {
  for (const program of chosen) await make(program, folder);
} finally {
  rmSync(folder, { recursive: true });
}
