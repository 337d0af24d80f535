// The programs as users run them: those of the clone, or the packaged ones in the folder that TEST_PROGRAMS names (`npm
// run test:packaged`).
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The command line of a program: the file, and the arguments before its own. */
export type ProgramLine = { readonly file: string; readonly args: readonly string[] };

const { TEST_PROGRAMS: packaged } = process.env;

export const isPackaged = packaged !== undefined;

const line = (workspace: string, name: string): ProgramLine =>
  packaged === undefined
    ? { file: process.execPath, args: [fileURLToPath(new URL(`../../${workspace}/bin/${name}.mjs`, import.meta.url))] }
    : { file: join(packaged, name), args: [] };

export const installed = {
  cli: line('cli', 'recordproof'),
  server: line('server', 'recordproof-server'),
  verifier: line('verifier', 'recordproof-verify'),
};
