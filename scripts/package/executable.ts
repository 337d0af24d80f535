// One program as one file: the sources in one bundle, within the repository's own Node. Two runs on the same commit give
// the same bytes: what could differ between them, times and the names of temporary folders, does not get in.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sea from '@yao-pkg/pkg/lib-es5/sea.js';
import { build } from 'esbuild';
import { buildCommit } from './build-commit.ts';
import type { Program } from './programs.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const platforms: Readonly<Record<string, 'linux' | 'macos' | 'win'>> = {
  linux: 'linux',
  darwin: 'macos',
  win32: 'win',
};

export const suffix = process.platform === 'win32' ? '.exe' : '';

type Bundle = {
  readonly text: string;
  /** The files it was made of, from the top of the repository. */
  readonly inputs: readonly string[];
};

async function bundle(program: Program, commit: string): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    stdin: { contents: program.entry, resolveDir: root, loader: 'ts' },
    bundle: true,
    platform: 'node',
    target: 'node26',
    format: program.format === 'module' ? 'esm' : 'cjs',
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'inline',
    metafile: true,
    write: false,
    plugins: [buildCommit(commit), ...(await program.plugins())],
    logLevel: 'error',
    ...program.options,
  });
  return { text: outputFiles[0]?.text ?? '', inputs: Object.keys(metafile.inputs) };
}

/**
 * The path of the bundle becomes part of the executable, and so it is one that is the same everywhere: it is given from the
 * folder that pkg works in, which pkg makes in the one for temporary files.
 */
async function within<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const { TMPDIR } = process.env;
  process.env.TMPDIR = folder;
  try {
    return await work();
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  }
}

/** Makes it in the folder `out`; answers with the files that went into its bundle. */
export async function makeExecutable(program: Program, out: string, commit: string): Promise<readonly string[]> {
  const platform = platforms[process.platform];
  if (platform === undefined) throw new Error(`there is no packaging for ${process.platform}`);
  const folder = mkdtempSync(join(tmpdir(), 'recordproof-package-'));
  try {
    const { text, inputs } = await bundle(program, commit);
    const name = `${program.name}.${program.format === 'module' ? 'mjs' : 'cjs'}`;
    writeFileSync(join(folder, name), text);
    const target = { nodeRange: 'node26', platform, arch: process.arch, output: join(out, program.name + suffix) };
    const seaConfig = {
      main: `../${name}`,
      mainFormat: program.format,
      disableExperimentalSEAWarning: true,
      useSnapshot: false,
      useCodeCache: true,
      assets: program.assets(),
    };
    await within(folder, () => sea.default(join(folder, name), { useLocalNode: true, targets: [target], seaConfig }));
    return inputs;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
