// Single executables: the bundled sources inside the repository's own Node. Two builds of the same commit give the same
// bytes (docs/decisions/0165-executables-are-reproducible.md).
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { buildCommit } from './build-commit.ts';
import type { Program } from './programs.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

export const suffix = process.platform === 'win32' ? '.exe' : '';

type Bundle = {
  readonly text: string;
  /** The bundled files, from the repository root. */
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
  return { text: toAscii(outputFiles[0]?.text ?? ''), inputs: Object.keys(metafile.inputs) };
}

/** Node keeps a program with any non-ASCII character as two bytes per character: 16 MB more for the server. */
const toAscii = (text: string): string =>
  text.replace(/[^\0-\x7f]/g, letter => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);

/**
 * The seed fixes the order of the compiled code; without it no two builds are alike. Node uses that code only with the
 * same flags.
 */
function assemble(folder: string, { execArgv = [] }: Program, settings: object): void {
  writeFileSync(join(folder, 'settings.json'), JSON.stringify(settings));
  const args = [...execArgv, '--random-seed=1', '--build-sea', 'settings.json'];
  const { status, stderr, error } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`Node did not make the executable: ${error?.message ?? stderr}`);
}

/** macOS runs no program without a signature. */
async function sign(output: string): Promise<void> {
  const { signMacOSIfNeeded } = await import('@yao-pkg/pkg/lib-es5/sea.js');
  const target = { nodeRange: 'node26', platform: 'macos', arch: process.arch, output } as const;
  await signMacOSIfNeeded(output, target, true, true);
}

/** Writes the executable to the folder `out`; returns the files that went into it. */
export async function makeExecutable(program: Program, out: string, commit: string): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'recordproof-package-'));
  try {
    const { text, inputs } = await bundle(program, commit);
    const main = `${program.name}.${program.format === 'module' ? 'mjs' : 'cjs'}`;
    const output = resolve(out, program.name + suffix);
    writeFileSync(join(folder, main), text);
    assemble(folder, program, {
      main, // relative, because the folder's name differs in each build
      mainFormat: program.format,
      output,
      disableExperimentalSEAWarning: true,
      useCodeCache: true,
      execArgv: program.execArgv ?? [],
      assets: program.assets(),
    });
    if (process.platform === 'darwin') await sign(output);
    return [...inputs, ...Object.values(program.assets()).map(path => relative(root, path))];
  } finally {
    rmSync(folder, { recursive: true });
  }
}
