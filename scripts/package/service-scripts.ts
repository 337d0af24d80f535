// Maintainer scripts of the server's Debian package (deploy/debian), each complete in itself.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Entry } from './tar.ts';

const folder = fileURLToPath(new URL('../../deploy/debian', import.meta.url));
const names = ['preinst', 'postinst', 'prerm', 'postrm'];
const include = /^# @include (\S+)$/gm;

const read = (name: string): string => readFileSync(join(folder, name), 'utf8');

/** They cannot share a file: when the first one runs, the package is not unpacked yet. */
export const listServiceScripts = (): Entry[] =>
  names.map(name => ({
    path: name,
    content: Buffer.from(read(name).replaceAll(include, (_, file: string) => read(file).trimEnd())),
    isProgram: true,
  }));
