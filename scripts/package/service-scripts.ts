// Maintainer scripts of the server's Debian package (deploy/debian): each is complete without the others.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Entry } from './tar.ts';

const folder = fileURLToPath(new URL('../../deploy/debian', import.meta.url));
const names = ['preinst', 'postinst', 'prerm', 'postrm'];
const include = /^# @include (\S+)$/gm;

const read = (name: string): string => readFileSync(join(folder, name), 'utf8');

/** The tree of a package is not there yet when its first script runs, so that they cannot share a file. */
export const listServiceScripts = (): Entry[] =>
  names.map(name => ({
    path: name,
    content: Buffer.from(read(name).replaceAll(include, (_, file: string) => read(file).trimEnd())),
    isProgram: true,
  }));
